#include "dataplane/sched/radio/rayleigh.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

constexpr double kStep = 2.0 / 600;  // 2 Hz, slots of 5/3 ms

std::vector<double> powers(std::uint64_t seed, std::size_t n, double step = kStep) {
  Rayleigh fading(step, Rng(seed));
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(fading.power(i));
  return out;
}

TEST(Rayleigh, HasThePowerOneOnAverage) {
  double sum = 0;
  for (const double p : powers(3, 600'000)) sum += p;
  EXPECT_NEAR(sum / 600'000, 1, 0.02);
}

// The share below x is 1 - exp(-x).
TEST(Rayleigh, HasExponentialPower) {
  constexpr std::array kBounds{0.1, 0.5, 1.0, 2.0, 3.0};
  std::array<double, kBounds.size()> below{};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const double p : powers(seed, 600'000)) {
      for (std::size_t i = 0; i < kBounds.size(); ++i) below[i] += p < kBounds[i];
    }
  }
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    EXPECT_NEAR(below[i] / 2'400'000, -std::expm1(-kBounds[i]), 0.02) << kBounds[i];
  }
}

// The covariance of the powers of complex Gaussian samples is the square of the samples' correlation, here
// J0.
TEST(Rayleigh, IsCorrelatedAsJakesSays) {
  constexpr std::array<std::size_t, 6> kLags{5, 30, 60, 115, 180, 300};
  std::array<double, kLags.size()> sum{}, count{};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto p = powers(seed, 30'000);
    for (std::size_t l = 0; l < kLags.size(); ++l) {
      for (std::size_t i = 0; i + kLags[l] < p.size(); i += 7) {
        sum[l] += (p[i] - 1) * (p[i + kLags[l]] - 1);
        ++count[l];
      }
    }
  }
  for (std::size_t l = 0; l < kLags.size(); ++l) {
    const double j0 = std::cyl_bessel_j(0.0, 2 * std::numbers::pi * kStep * static_cast<double>(kLags[l]));
    EXPECT_NEAR(sum[l] / count[l], j0 * j0, 0.06) << kLags[l];
  }
}

TEST(Rayleigh, TheSameSeedFadesInTheSameWayAndAnotherDoesNot) {
  EXPECT_EQ(powers(5, 1000), powers(5, 1000));
  EXPECT_NE(powers(5, 1000), powers(6, 1000));
}

TEST(Rayleigh, SamplesThatWereLeftOutMakeNoDifference) {
  const auto all = powers(9, 20'000);
  Rayleigh fading(kStep, Rng(9));
  for (std::size_t at = 0; at < all.size(); at += 1 + at % 37) {
    EXPECT_NEAR(fading.power(at), all[at], 1e-9) << at;
  }
}

TEST(Rayleigh, AskedAgainAnswersTheSame) {
  Rayleigh fading(kStep, Rng(2));
  const double p = fading.power(100);
  EXPECT_EQ(fading.power(100), p);
}

}  // namespace
}  // namespace dp
