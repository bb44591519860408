#include "dataplane/sched/means.h"

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"
#include "dataplane/sched/engines.h"

namespace dp {
namespace {

// The formula as it is written: every mean decays in every slot.
class NaiveMeans {
 public:
  explicit NaiveMeans(std::size_t indices) : means_(indices, MeanRates::kFirstMean) {}
  void decay(double alpha) {
    for (double& mean : means_) mean = std::max(mean * (1 - alpha), MeanRates::kLeastMean);
  }
  double& operator[](MemberIndex index) { return means_[index]; }

 private:
  std::vector<double> means_;
};

TEST(MeanRates, ASlotCountsForWhoIsGivenItAndDecaysAll) {
  MeanRates means(2, 0.1);
  means.count(1, 300);
  EXPECT_NEAR(means.mean(0), 0.9, 1e-12);
  EXPECT_NEAR(means.mean(1), 0.9 + 0.1 * 300, 1e-12);
  means.set(0, 500);
  means.pass(2);
  EXPECT_NEAR(means.mean(0), 500 * 0.81, 1e-9);
}

TEST(MeanRates, SlotsOfNobodyPassAtOnce) {
  MeanRates at_once(2, 0.001), slot_by_slot(2, 0.001);
  for (MeanRates* means : {&at_once, &slot_by_slot}) means->count(0, 600'000);
  at_once.pass(5000);
  for (int i = 0; i < 5000; ++i) slot_by_slot.pass(1);
  for (const MemberIndex index : {0u, 1u}) {
    EXPECT_NEAR(at_once.mean(index) / slot_by_slot.mean(index), 1, 1e-9);
  }
  at_once.pass(std::uint64_t{1} << 60);
  EXPECT_EQ(at_once.mean(0), MeanRates::kLeastMean) << "the next ratio must be a number";
  at_once.count(0, 1000);
  EXPECT_NEAR(at_once.mean(0), 1, 1e-9);
}

TEST(MeanRates, WithAWeightOfOneOnlyTheLastSlotCounts) {
  MeanRates means(2, 1);
  for (const MemberIndex index : {0u, 1u, 0u}) means.count(index, 400);
  EXPECT_EQ(means.mean(0), 400);
  EXPECT_EQ(means.mean(1), MeanRates::kLeastMean);
}

// A million slots: users that idle, new ones, others whose alpha is another; at this alpha the scale is taken
// over some 40 times.
TEST(MeanRates, AreThoseOfTheFormulaWhileSchedulersTakeOverFromOneAnother) {
  constexpr MemberIndex kMembers = 6;
  Rng rng(7);
  MeanRates lazy(kMembers, 0.001);
  NaiveMeans naive(kMembers);
  const std::array<SchedulerConfig, 3> configs{ProportionalFairSpec::Config{.alpha = 0.001},
                                               PfShortPrioritySpec::Config{.alpha = 0.01},
                                               PfRatePrioritySpec::Config{.alpha = 0.002, .rmin = 20'000}};
  std::array<bool, kMembers> idle{};
  std::vector<SlotUser> users;
  std::uint64_t given = 0;
  for (std::uint64_t slot = 0; slot < 1'000'000; ++slot) {
    const SchedulerConfig& config = configs[slot / 50'000 % configs.size()];
    const SchedulerSlot scheduler = SchedulerEngines::make(config);
    const double alpha = std::visit([](const auto& c) { return c.alpha; }, config);
    lazy.set_alpha(alpha);
    if (rng.below(100) == 0) idle[rng.below(kMembers)] ^= true;
    if (rng.below(10'000) == 0) {
      const MemberIndex fresh = rng.below(kMembers);
      lazy.set(fresh, MeanRates::kFirstMean);
      naive[fresh] = MeanRates::kFirstMean;
    }
    users.clear();
    for (MemberIndex index = 0; index < kMembers; ++index) {
      const std::uint64_t rate = rng.below(5) * 307'200;
      if (idle[index] || rate == 0) continue;
      const double mean = lazy.mean(index);
      users.push_back({index, rng.chance(0.2), rate, static_cast<double>(rate) / mean, mean, 0});
    }
    naive.decay(alpha);
    if (users.empty()) {
      lazy.pass(1);
    } else {
      const SlotUser& user = users[std::visit([&](const auto& s) { return s.choose(users); }, scheduler)];
      lazy.count(user.index, user.rate);
      naive[user.index] += alpha * static_cast<double>(user.rate);
      ++given;
    }
    for (MemberIndex index = 0; index < kMembers; ++index) {
      ASSERT_LE(std::abs(lazy.mean(index) / naive[index] - 1), 1e-9) << slot << " " << index;
    }
  }
  EXPECT_GT(given, 500'000u);
}

}  // namespace
}  // namespace dp
