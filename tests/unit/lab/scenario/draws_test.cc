#include "tools/lab/scenario/draws.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tools/lab/scenario/traffic.h"

namespace lab {
namespace {

constexpr int kDraws = 1'000'000;

TEST(Draws, ExponentialHasItsMeanAndItsVariance) {
  dp::Rng rng(1);
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double s = static_cast<double>(exponential(rng, dp::Duration{15'000'000'000}).count()) * 1e-9;
    sum += s;
    squares += s * s;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 15, 0.1);
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean), 15, 0.15);
}

TEST(Draws, GeometricBeginsAtOneAndHasItsMean) {
  dp::Rng rng(1);
  double sum = 0;
  std::uint32_t least = 1000;
  for (int i = 0; i < kDraws; ++i) {
    const auto n = geometric(rng, 5);
    least = std::min(least, n);
    sum += n;
  }
  EXPECT_EQ(least, 1u);
  EXPECT_NEAR(sum / kDraws, 5, 0.03);
  EXPECT_EQ(geometric(rng, 1), 1u);
}

// The mean of sizes cut at `max` is scale * (shape - (scale / max)^(shape - 1)) / (shape - 1).
TEST(Draws, ParetoHasTheMeanThatItsCutLeavesAndTheSharesOfItsTail) {
  const Web::Config web;
  dp::Rng rng(1);
  double sum = 0;
  int below_15k = 0, cut = 0;
  std::uint64_t least = web.max;
  for (int i = 0; i < kDraws; ++i) {
    const auto size = pareto(rng, static_cast<double>(web.size), web.shape, web.max);
    ASSERT_LE(size, web.max);
    least = std::min(least, size);
    below_15k += size < 15'000;
    cut += size == web.max;
    sum += static_cast<double>(size);
  }
  const double scale = 2'000, max = 1'000'000, shape = 1.2;
  EXPECT_EQ(least, 2'000u);
  EXPECT_NEAR(sum / kDraws, scale * (shape - std::pow(scale / max, shape - 1)) / (shape - 1), 100);
  EXPECT_NEAR(below_15k / double{kDraws}, 1 - std::pow(scale / 15'000, shape), 0.002);
  EXPECT_NEAR(cut / double{kDraws}, std::pow(scale / max, shape), 0.0002);
}

}  // namespace
}  // namespace lab
