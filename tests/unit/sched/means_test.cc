#include "dataplane/sched/means.h"

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"
#include "dataplane/sched/engines.h"

namespace dp {
namespace {

// The formula as it is written: every mean decays in every slot.
class NaiveMeans {
 public:
  explicit NaiveMeans(std::size_t places) : means_(places, MeanRates::kFirstMean) {}
  void decay(double alpha) {
    for (double& mean : means_) mean = std::max(mean * (1 - alpha), MeanRates::kLeastMean);
  }
  double& operator[](CellPlace place) { return means_[place]; }

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
  for (const CellPlace place : {0u, 1u}) {
    EXPECT_NEAR(at_once.mean(place) / slot_by_slot.mean(place), 1, 1e-9);
  }
  at_once.pass(std::uint64_t{1} << 60);
  EXPECT_EQ(at_once.mean(0), MeanRates::kLeastMean) << "the next ratio must be a number";
  at_once.count(0, 1000);
  EXPECT_NEAR(at_once.mean(0), 1, 1e-9);
}

TEST(MeanRates, WithAWeightOfOneOnlyTheLastSlotCounts) {
  MeanRates means(2, 1);
  for (const CellPlace place : {0u, 1u, 0u}) means.count(place, 400);
  EXPECT_EQ(means.mean(0), 400);
  EXPECT_EQ(means.mean(1), MeanRates::kLeastMean);
}

// A million slots: users that idle, new ones, others whose alpha is another; at this alpha the scale is taken
// over some 40 times.
TEST(MeanRates, AreThoseOfTheFormulaWhileSchedulersTakeOverFromOneAnother) {
  constexpr CellPlace kPlaces = 6;
  Rng rng(7);
  MeanRates lazy(kPlaces, 0.001);
  NaiveMeans naive(kPlaces);
  const std::array<SchedulerConfig, 3> configs{ProportionalFairSpec::Config{.alpha = 0.001},
                                               PfShortPrioritySpec::Config{.alpha = 0.01},
                                               PfRatePrioritySpec::Config{.alpha = 0.002, .rmin = 20'000}};
  std::array<bool, kPlaces> idle{};
  std::vector<SlotUser> users;
  std::uint64_t given = 0;
  for (std::uint64_t slot = 0; slot < 1'000'000; ++slot) {
    const SchedulerConfig& config = configs[slot / 50'000 % configs.size()];
    const SchedulerSlot scheduler = SchedulerEngines::make(config);
    const double alpha = std::visit([](const auto& c) { return c.alpha; }, config);
    lazy.set_alpha(alpha);
    if (rng.below(100) == 0) idle[rng.below(kPlaces)] ^= true;
    if (rng.below(10'000) == 0) {
      const CellPlace fresh = rng.below(kPlaces);
      lazy.set(fresh, MeanRates::kFirstMean);
      naive[fresh] = MeanRates::kFirstMean;
    }
    users.clear();
    for (CellPlace place = 0; place < kPlaces; ++place) {
      const std::uint64_t rate = rng.below(5) * 307'200;
      if (idle[place] || rate == 0) continue;
      const double mean = lazy.mean(place);
      users.push_back({place, rng.chance(0.2), rate, static_cast<double>(rate) / mean, mean, 0});
    }
    naive.decay(alpha);
    if (users.empty()) {
      lazy.pass(1);
    } else {
      const SlotUser& user = users[std::visit([&](const auto& s) { return s.choose(users); }, scheduler)];
      lazy.count(user.place, user.rate);
      naive[user.place] += alpha * static_cast<double>(user.rate);
      ++given;
    }
    for (CellPlace place = 0; place < kPlaces; ++place) {
      ASSERT_LE(std::abs(lazy.mean(place) / naive[place] - 1), 1e-9) << slot << " " << place;
    }
  }
  EXPECT_GT(given, 500'000u);
}

}  // namespace
}  // namespace dp
