// Held ACKs of many flows, in a balanced tree (dataplane/base/balanced_tree.h), against one list.
#include "dataplane/ack/held.h"

#include <algorithm>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"
#include "tests/support/runs.h"

namespace dp {
namespace {

class HeldAcksTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kFlows = 20;

  Sdu& ack(std::uint32_t flow) {
    Sdu& made = sdus_.emplace_back();
    made.flow = flow + 1;
    return made;
  }
  void push(std::uint32_t flow) {
    Sdu& sdu = ack(flow);
    held.push(flows[flow], sdu);
    order.push_back(&sdu);
  }
  Sdu* oldest_of(std::uint32_t flow) const {
    for (Sdu* sdu : order) {
      if (sdu->flow == flow + 1) return sdu;
    }
    return nullptr;
  }
  void take(Sdu& sdu) {
    held.take(flows[sdu.flow - 1], sdu);
    std::erase(order, &sdu);
  }
  void expect_as_one_list() {
    ASSERT_EQ(held.size(), order.size());
    ASSERT_EQ(held.oldest(), order.empty() ? nullptr : order.front());
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      ASSERT_EQ(flows[flow].oldest(), oldest_of(flow)) << flow;
    }
    std::vector<Sdu*> all;
    held.for_each([&](Sdu& sdu) { all.push_back(&sdu); });
    ASSERT_TRUE(std::ranges::is_permutation(all, order));
  }

  HeldAcks held;
  std::vector<HeldAcks::OfFlow> flows{kFlows};
  std::vector<Sdu*> order;  // in order of arrival

 private:
  std::deque<Sdu> sdus_;
};

TEST_F(HeldAcksTest, TheOldestOfAllAndOfEachFlowAreThoseOfOneList) {
  Rng chance(1);
  for (std::uint32_t i = 0; i < std::max(1000u, test::runs_of(5000)); ++i) {
    const std::uint64_t what = chance.below(i % 1000 < 500 ? 3 : 5);
    if (what < 2) {
      push(static_cast<std::uint32_t>(chance.below(kFlows)));
    } else if (what == 2 && held.oldest() != nullptr) {
      take(*held.oldest());
    } else if (Sdu* sdu = flows[chance.below(kFlows)].oldest()) {
      take(*sdu);
    }
    expect_as_one_list();
    if (HasFatalFailure()) return;
  }
  std::size_t seen = 0;
  held.for_each([&](const Sdu&) { ++seen; });
  EXPECT_EQ(seen, order.size());
  EXPECT_GT(seen, 0u);
}

TEST_F(HeldAcksTest, TimeThatStoodStillWasNotWaited) {
  for (std::uint32_t flow : {1u, 2u, 1u}) push(flow);
  held.postpone(Duration{7});
  for (const Sdu* sdu : order) EXPECT_EQ(sdu->held_since(), Time{} + Duration{7});
}

TEST_F(HeldAcksTest, WhatIsTakenNamesNoBearer) {
  push(3);
  Sdu& sdu = *held.oldest();
  take(sdu);
  EXPECT_EQ(sdu.bearer, nullptr);
}

}  // namespace
}  // namespace dp
