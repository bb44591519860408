// Rates of schedulers in an HDR cell, against closed forms from the rate table (dataplane/sched/radio/hdr.h)
// and the distribution of the fading, which nothing was fitted to. 200,000 slots leave a standard error of
// 0.2 % where 1 % is allowed.
#include <gtest/gtest.h>

#include "dataplane/sched/engines.h"
#include "tests/support/hdr_draws.h"

namespace dp {
namespace {

using test::mean_of_highest, test::no_rate, test::share_slots, test::Shares;

constexpr std::uint64_t kSlots = 200'000;

template <class Scheduler>
Shares share(std::size_t users, double snr, double alpha = 0.001, std::uint64_t seed = 1) {
  std::vector<test::HdrDraws> draws;
  for (std::size_t i = 0; i < users; ++i) draws.emplace_back(snr, seed * 100 + i);
  return share_slots(Scheduler({}), alpha, users, kSlots,
                     [&](MemberIndex index, std::uint64_t) { return draws[index].rate(); });
}

void expect_equal_slots(const Shares& shares, double within) {
  const double part = 1 / static_cast<double>(shares.slots.size());
  for (const double slots : shares.slots) EXPECT_NEAR(slots / part, 1, within);
}

TEST(ClosedForms, AreThoseOfAMeanSnrOfOneDecibel) {
  EXPECT_NEAR(mean_of_highest(1, 1), 595'200, 600);
  EXPECT_NEAR(no_rate(1), 0.044, 0.0005);
  EXPECT_NEAR(mean_of_highest(1, 2), 843'000, 900);
  EXPECT_NEAR(mean_of_highest(1, 4), 1'072'500, 1'100);
  EXPECT_NEAR(mean_of_highest(1, 8), 1'244'500, 1'300);
  EXPECT_NEAR(mean_of_highest(1, 16), 1'364'500, 1'400);
}

TEST(ClosedForms, OneUserHasTheMeanOfTheTableWhateverTheScheduler) {
  for (const double snr : {-3.0, 1.0, 6.0}) {
    SchedulerEngines::for_each([&]<class S>(TypeTag<S>) {
      EXPECT_NEAR(share<S>(1, snr).total() / mean_of_highest(snr, 1), 1, 0.01) << S::kName << " " << snr;
    });
  }
}

TEST(ClosedForms, MaxRateReachesTheMeanOfTheHighest) {
  for (const double snr : {-3.0, 1.0, 6.0}) {
    for (const int users : {2, 4, 8, 16}) {
      const Shares shares = share<MaxRate>(static_cast<std::size_t>(users), snr);
      EXPECT_NEAR(shares.total() / mean_of_highest(snr, users), 1, 0.01) << snr << " " << users;
      expect_equal_slots(shares, 0.03);
    }
  }
}

// A fade costs a turn only when all are in one.
TEST(ClosedForms, RoundRobinSkipsFades) {
  for (const double snr : {-3.0, 1.0, 6.0}) {
    for (const int users : {2, 4, 8}) {
      const double mean = mean_of_highest(snr, 1) / (1 - no_rate(snr)) * (1 - std::pow(no_rate(snr), users));
      EXPECT_NEAR(share<RoundRobin>(static_cast<std::size_t>(users), snr).total() / mean, 1, 0.01)
          << snr << " " << users;
    }
  }
}

// Like users whose fading is fast have equal means, so that the highest ratio is the highest rate.
TEST(ClosedForms, PfOfFastFadingLikeUsersIsMaxRateAndGivesEqualSlots) {
  for (const double snr : {-3.0, 1.0, 6.0}) {
    const Shares shares = share<ProportionalFair>(4, snr, 1e-4);
    EXPECT_NEAR(shares.total() / mean_of_highest(snr, 4), 1, 0.02) << snr;
    expect_equal_slots(shares, 0.01);
  }
}

// Not the paper's cell: users of unlike SNR. PF shares slots and leaves each a like gain; max-rate starves
// the far one.
TEST(ClosedForms, PfSharesSlotsBetweenNearAndFarAndMaxRateDoesNot) {
  const auto unlike = [](const auto& scheduler) {
    std::vector<test::HdrDraws> draws;
    for (const double snr : {-4.0, 8.0}) draws.emplace_back(snr, 11 + draws.size());
    return share_slots(scheduler, 1e-3, 2, kSlots,
                       [&](MemberIndex index, std::uint64_t) { return draws[index].rate(); });
  };
  const Shares fair = unlike(ProportionalFair({})), turns = unlike(RoundRobin({})),
               most = unlike(MaxRate({}));
  expect_equal_slots(fair, 0.2);
  for (const std::size_t who : {0u, 1u}) EXPECT_GT(fair.rate[who], 1.05 * turns.rate[who]) << who;
  EXPECT_LT(most.slots[0], 0.15);
  EXPECT_GT(most.total(), 1.1 * fair.total());
}

// 001's channel: it fades slowly, so that PF is between the two, and 1.03 and 1.14 Mbit/s are what it
// reaches.
TEST(ClosedForms, PfOfSlowlyFadingUsersIsBetweenRoundRobinAndMaxRate) {
  for (const auto& [users, rate] : {std::pair{4, 1'030'000.0}, {8, 1'140'000.0}}) {
    std::vector<HdrChannel> channels;
    for (int i = 0; i < users; ++i) channels.emplace_back(RadioSettings{}, i);
    const Shares shares =
        share_slots(ProportionalFair({}), 0.001, channels.size(), 240'000,
                    [&](MemberIndex index, std::uint64_t slot) { return channels[index].rate(slot); });
    EXPECT_NEAR(shares.total(), rate, 40'000) << users;
    EXPECT_GT(shares.total(), 622'000) << users;
    EXPECT_LT(shares.total(), mean_of_highest(1, users)) << users;
    double sum = 0, squares = 0;
    for (const double r : shares.rate) {
      sum += r;
      squares += r * r;
    }
    EXPECT_GT(sum * sum / (users * squares), 0.999) << users;
  }
}

}  // namespace
}  // namespace dp
