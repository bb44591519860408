// Which SDUs a radio loses: how many, in what runs, and the same again from the same seed.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "dataplane/link/um/losses.h"

namespace dp {
namespace {

constexpr int kUmSdus = 400'000;

struct UmRuns {
  double sdus = 0, lost = 0, bursts = 0, lost_behind_loss = 0, behind_loss = 0;

  explicit UmRuns(const UmLinkConfig& config) {
    Losses losses(config, Rng(config.seed));
    bool before = false;
    for (int i = 0; i < kUmSdus; ++i) {
      const bool now = losses.next();
      ++sdus;
      lost += now;
      bursts += now && !before;
      behind_loss += before;
      lost_behind_loss += now && before;
      before = now;
    }
  }
  double ratio() const { return lost / sdus; }
  double mean_burst() const { return lost / bursts; }
};

// Five standard deviations of the mean of a chain of two states, whose memory is what is left of a state one
// step on: p (1 - p) / n * (1 + memory) / (1 - memory).
double ratio_bound(double loss, double burst) {
  const double mean = std::max(burst, 1 / (1 - loss));
  const double memory = 1 - 1 / mean - loss / ((1 - loss) * mean);
  return 5 * std::sqrt(loss * (1 - loss) / kUmSdus * (1 + memory) / (1 - memory));
}

TEST(UmLosses, TheShareLostIsLossWhateverTheBurst) {
  for (const double loss : {0.0001, 0.001, 0.01, 0.03, 0.1, 0.5, 0.9}) {
    for (const double burst : {1.0, 1.5, 3.0, 20.0}) {
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const UmRuns runs({.loss = loss, .burst = burst, .seed = seed});
        EXPECT_NEAR(runs.ratio(), loss, ratio_bound(loss, burst)) << loss << ' ' << burst << ' ' << seed;
      }
    }
  }
}

TEST(UmLosses, RunsAreAsLongAsBurstSaysButNoShorterThanIndependentLossesMakeThem) {
  for (const double loss : {0.01, 0.03, 0.1, 0.5}) {
    for (const double burst : {1.0, 1.5, 3.0, 20.0}) {
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const UmRuns runs({.loss = loss, .burst = burst, .seed = seed});
        const double mean = std::max(burst, 1 / (1 - loss));
        // The length of a run is geometric: its variance is mean (mean - 1).
        EXPECT_NEAR(runs.mean_burst(), mean, 5 * std::sqrt(mean * (mean - 1) / runs.bursts) + 1e-3)
            << loss << ' ' << burst << ' ' << seed;
      }
    }
  }
}

TEST(UmLosses, WithBurstOneALossSaysNothingOfTheNextSdu) {
  for (const double loss : {0.03, 0.1, 0.5}) {
    const UmRuns runs({.loss = loss, .burst = 1, .seed = 7});
    EXPECT_NEAR(runs.lost_behind_loss / runs.behind_loss, loss,
                5 * std::sqrt(loss * (1 - loss) / runs.behind_loss))
        << loss;
  }
}

TEST(UmLosses, NothingAndEverythingAreLostExactly) {
  for (const double burst : {1.0, 5.0}) {
    EXPECT_EQ(UmRuns({.loss = 0, .burst = burst}).lost, 0);
    EXPECT_EQ(UmRuns({.loss = 1, .burst = burst}).lost, kUmSdus);
  }
}

TEST(UmLosses, TheFirstSduIsLostAsOftenAsAny) {
  constexpr int kSeeds = 20'000;
  const UmLinkConfig config{.loss = 0.3, .burst = 10};
  int lost = 0;
  for (int seed = 0; seed < kSeeds; ++seed) lost += Losses(config, Rng(static_cast<unsigned>(seed))).next();
  EXPECT_NEAR(static_cast<double>(lost) / kSeeds, 0.3, 5 * std::sqrt(0.3 * 0.7 / kSeeds));
}

TEST(UmLosses, OtherSettingsCountFromTheNextSduOn) {
  Losses losses({.loss = 0, .burst = 1}, Rng(1));
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(losses.next());
  losses.set({.loss = 1, .burst = 1});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(losses.next());
  losses.set({.loss = 0, .burst = 20});
  EXPECT_FALSE(losses.next());
}

}  // namespace
}  // namespace dp
