#include "dataplane/packet/sdu_list.h"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

TEST(SduDeque, TakenFromBothEndsItHoldsWhatAStandardDequeHolds) {
  std::array<Sdu, 8> sdus{};
  std::vector<Sdu*> idle;
  for (Sdu& sdu : sdus) idle.push_back(&sdu);
  std::deque<Sdu*> model;
  SduDeque tested;
  Rng rng(1);
  for (int step = 0; step < 20'000; ++step) {
    if (!idle.empty() && (model.empty() || rng.chance(0.5))) {
      tested.push(*idle.back());
      model.push_back(idle.back());
      idle.pop_back();
    } else if (rng.chance(0.5)) {
      ASSERT_EQ(&tested.pop(), model.front());
      idle.push_back(model.front());
      model.pop_front();
    } else {
      ASSERT_EQ(&tested.pop_back(), model.back());
      idle.push_back(model.back());
      model.pop_back();
    }
    ASSERT_EQ(tested.empty(), model.empty());
    ASSERT_EQ(tested.front(), model.empty() ? nullptr : model.front());
    std::deque<const Sdu*> walked;
    tested.for_each([&](const Sdu& sdu) { walked.push_back(&sdu); });
    ASSERT_TRUE(std::ranges::equal(walked, model));
  }
}

}  // namespace
}  // namespace dp
