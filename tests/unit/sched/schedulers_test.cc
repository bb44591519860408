// Whose the slot is, by tables of users made by hand.
#include <gtest/gtest.h>

#include "dataplane/sched/engines.h"

namespace dp {
namespace {

constexpr bool kShort = true, kLong = false;

SlotUser user(MemberIndex index, bool short_flow, std::uint64_t rate, double mean, std::uint64_t served = 0) {
  return {index, short_flow, rate, static_cast<double>(rate) / mean, mean, served};
}

template <class Scheduler>
MemberIndex chosen(const std::vector<SlotUser>& users, const typename Scheduler::Config& config = {}) {
  return users[Scheduler(config).choose(users)].index;
}

TEST(Schedulers, EachGivesTheSlotToWhoIsAlone) {
  const std::vector<SlotUser> alone{user(5, kLong, 1, 1e9, 17)};
  SchedulerEngines::for_each([&]<class S>(TypeTag<S>) { EXPECT_EQ(chosen<S>(alone), 5u) << S::kName; });
}

TEST(ProportionalFair, GivesTheSlotToTheHighestRatioOfRateToMean) {
  EXPECT_EQ(
      chosen<ProportionalFair>({user(0, kLong, 100, 10), user(1, kLong, 300, 60), user(2, kLong, 200, 10)}),
      2u);
  // For any short flows and any rate.
  EXPECT_EQ(chosen<ProportionalFair>({user(3, kShort, 2000, 500), user(8, kLong, 100, 10)}), 8u);
}

TEST(ProportionalFair, TheLowestPlaceOfEqualsIsChosen) {
  EXPECT_EQ(
      chosen<ProportionalFair>({user(1, kLong, 100, 10), user(4, kLong, 300, 10), user(6, kLong, 600, 20)}),
      4u);
}

TEST(PfShortPriority, GivesTheSlotToTheHighestRateOfThoseWithAShortFlow) {
  EXPECT_EQ(chosen<PfShortPriority>(
                {user(0, kLong, 2000, 1), user(1, kShort, 100, 1e6), user(2, kShort, 300, 1e9)}),
            2u);
  EXPECT_EQ(chosen<PfShortPriority>({user(0, kShort, 38'400, 1e6), user(1, kLong, 2'457'600, 1)}), 0u)
      << "even one in a fade";
}

TEST(PfShortPriority, GoesByTheRatioWhereRatesAreEqual) {
  EXPECT_EQ(
      chosen<PfShortPriority>({user(0, kShort, 300, 60), user(1, kShort, 300, 50), user(2, kShort, 300, 50)}),
      1u);
}

TEST(PfShortPriority, IsPfWhereNobodyHasAShortFlow) {
  EXPECT_EQ(chosen<PfShortPriority>({user(0, kLong, 300, 60), user(1, kLong, 100, 10)}), 1u);
}

TEST(PfRatePriority, GivesTheSlotToTheShortFlowUnlessPfsChoiceCarriesMore) {
  const SlotUser in_a_fade = user(0, kShort, 100, 1000), better = user(1, kLong, 200, 10);
  EXPECT_EQ(chosen<PfRatePriority>({in_a_fade, better}), 1u);
  EXPECT_EQ(chosen<PfShortPriority>({in_a_fade, better}), 0u);
  EXPECT_EQ(chosen<PfRatePriority>({user(0, kShort, 300, 1000), better}), 0u);
  EXPECT_EQ(chosen<PfRatePriority>({user(0, kShort, 200, 1000), better}), 0u) << "the same rate";
  // j is chosen by its rate among the short ones, not by its ratio.
  EXPECT_EQ(chosen<PfRatePriority>({user(0, kShort, 50, 1), user(1, kShort, 60, 1e6), user(2, kLong, 40, 1)}),
            1u);
}

TEST(PfRatePriority, IsPfWhereNobodyOrEverybodyHasAShortFlow) {
  EXPECT_EQ(chosen<PfRatePriority>({user(0, kLong, 300, 60), user(1, kLong, 100, 10)}), 1u);
  // Everybody: the highest rate, which PF's choice cannot exceed.
  EXPECT_EQ(chosen<PfRatePriority>({user(0, kShort, 300, 60), user(1, kShort, 100, 10)}), 0u);
}

TEST(PfRatePriority, PfsChoiceIsServedBelowRmin) {
  const std::vector<SlotUser> users{user(0, kShort, 300, 1000), user(1, kLong, 200, 10)};
  EXPECT_EQ(chosen<PfRatePriority>(users), 0u) << "off";
  EXPECT_EQ(chosen<PfRatePriority>(users, {.rmin = 10}), 0u) << "not below it";
  EXPECT_EQ(chosen<PfRatePriority>(users, {.rmin = 11}), 1u);
}

TEST(RoundRobin, GivesTheSlotToWhoWasGivenOneLongestAgo) {
  EXPECT_EQ(
      chosen<RoundRobin>({user(0, kShort, 900, 1, 7), user(2, kLong, 100, 9, 3), user(5, kLong, 200, 1, 5)}),
      2u);
  EXPECT_EQ(chosen<RoundRobin>({user(0, kLong, 900, 1, 7), user(2, kLong, 100, 9), user(5, kLong, 200, 1)}),
            2u)
      << "the lowest index of new ones";
}

TEST(RoundRobin, GoesRoundWhileAllAreBacklogged) {
  std::vector<SlotUser> users{user(0, kLong, 1, 1), user(3, kLong, 1, 1), user(4, kLong, 1, 1)};
  for (std::uint64_t slot = 0; slot < 9; ++slot) {
    const std::size_t who = RoundRobin({}).choose(users);
    EXPECT_EQ(who, slot % 3);
    users[who].served = slot + 1;
  }
}

TEST(MaxRate, GivesTheSlotToTheHighestRateInTurns) {
  EXPECT_EQ(
      chosen<MaxRate>({user(0, kShort, 900, 1), user(1, kLong, 901, 1e9, 50), user(2, kLong, 10, 1e-9)}), 1u);
  EXPECT_EQ(
      chosen<MaxRate>({user(0, kLong, 900, 1, 7), user(1, kLong, 900, 1, 5), user(2, kLong, 900, 1, 6)}), 1u);
}

}  // namespace
}  // namespace dp
