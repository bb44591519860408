#include "dataplane/sched/pf.h"

#include <array>

#include <gtest/gtest.h>

#include "dataplane/sched/hdr_channel.h"

namespace dp {
namespace {

using Users = std::vector<SlotUser>;

TEST(ProportionalFair, GivesTheSlotToTheHighestRatioOfRateToMean) {
  ProportionalFair pf({.alpha = 0.1}, 3);
  EXPECT_EQ(pf.choose(Users{{true, 100}, {true, 300}, {true, 200}}), 1u);
  EXPECT_NEAR(pf.mean(0), 0.9, 1e-12);
  EXPECT_NEAR(pf.mean(1), 0.9 + 0.1 * 300, 1e-12);
  // 1 has had its turn: 200 / 0.9 is more than 300 / 30.9.
  EXPECT_EQ(pf.choose(Users{{true, 100}, {true, 300}, {true, 200}}), 2u);
}

TEST(ProportionalFair, TheLowestNumberOfEqualsIsChosen) {
  ProportionalFair pf({}, 4);
  EXPECT_EQ(pf.choose(Users{{false, 900}, {true, 300}, {true, 300}, {true, 100}}), 1u);
}

TEST(ProportionalFair, WhoIsNotBackloggedIsNotChosenButForgotten) {
  ProportionalFair pf({.alpha = 0.5}, 2);
  EXPECT_EQ(pf.choose(Users{{true, 800}, {false, 0}}), 0u);
  const double mean = pf.mean(1);
  EXPECT_EQ(pf.choose(Users{{true, 1}, {false, 0}}), 0u);
  EXPECT_NEAR(pf.mean(1), mean / 2, 1e-12);
}

TEST(ProportionalFair, ASlotThatCarriesNothingIsSomebodysAllTheSame) {
  ProportionalFair pf({}, 2);
  EXPECT_EQ(pf.choose(Users{{false, 0}, {true, 0}}), 1u);
}

TEST(ProportionalFair, SlotsWithoutAnybodyPassAtOnce) {
  ProportionalFair at_once({}, 2), slot_by_slot({}, 2);
  for (auto* pf : {&at_once, &slot_by_slot}) {
    for (int i = 0; i < 100; ++i) pf->choose(Users{{true, 600'000}, {true, 300'000}});
  }
  at_once.pass(5000);
  for (int i = 0; i < 5000; ++i) slot_by_slot.pass(1);
  for (const std::size_t user : {0u, 1u}) {
    EXPECT_NEAR(at_once.mean(user) / slot_by_slot.mean(user), 1, 1e-9);
  }
  at_once.pass(std::uint64_t{1} << 60);
  EXPECT_GT(at_once.mean(0), 0) << "the next ratio must be a number";
  EXPECT_LT(at_once.choose(Users{{true, 1}, {true, 1}}), 2u);
}

// With channels of one kind, slots are shared evenly; and together users get more than one alone, since each
// is served when its channel is good.
TEST(ProportionalFair, SharesSlotsFairlyAndGainsFromDiversity) {
  constexpr std::size_t kUsers = 8;
  ProportionalFair pf({}, kUsers);
  std::vector<HdrChannel> channels;
  for (std::size_t i = 0; i < kUsers; ++i) channels.emplace_back(HdrSettings{}, i);
  std::array<double, kUsers> bits{};
  Users users(kUsers);
  constexpr std::uint64_t kSlots = 240'000;
  for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
    for (std::size_t i = 0; i < kUsers; ++i) users[i] = {true, channels[i].rate(slot)};
    const std::size_t who = pf.choose(users);
    bits[who] += static_cast<double>(users[who].rate) / kSlotsPerSecond;
  }
  double sum = 0, squares = 0;
  for (const double b : bits) {
    sum += b;
    squares += b * b;
  }
  EXPECT_GT(sum * sum / (kUsers * squares), 0.999);
  EXPECT_NEAR(sum / (kSlots / kSlotsPerSecond), 1'140'000, 40'000);
}

}  // namespace
}  // namespace dp
