// A Rayleigh fading channel as a sum of sinusoids (Zheng and Xiao, IEEE Communications Letters 7(6), 2003):
// two quadratures of waves with different frequencies, so that the autocorrelation is Jakes', J0(2 pi f_d
// tau). Part of its user; a seed determines the fading.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "dataplane/base/expect.h"
#include "dataplane/base/rng.h"

namespace dp {

class Rayleigh {
 public:
  // `step`: f_d * T, where T is the sampling interval.
  Rayleigh(double step, Rng rng) noexcept {
    constexpr double kTurn = 2 * std::numbers::pi;
    const double theta = kTurn * rng.uniform() - std::numbers::pi;
    for (std::size_t n = 0; n < kWaves; ++n) {
      const double from = (kTurn * static_cast<double>(n + 1) - std::numbers::pi + theta) / (4 * kWaves);
      turn_[n] = kTurn * step * std::cos(from);
      turn_[n + kWaves] = kTurn * step * std::sin(from);
      for (const std::size_t i : {n, n + kWaves}) phase_[i] = kTurn * rng.uniform();
    }
    step_ = step;
    begin_turning();
  }

  // Changes the sampling interval; `at` counts intervals of the new length. Requires: `step` is positive,
  // before and after.
  void set_step(double step) noexcept {
    DP_EXPECT(step > 0 && step_ > 0);
    for (double& turn : turn_) turn *= step / step_;
    step_ = step;
    begin_turning();
  }

  // Power of sample `at`, with mean 1. Consecutive samples take a few multiplications each.
  double power(std::uint64_t at) noexcept {
    if (at == at_ + 1 && at % kAnew != 0) {
      turn();
    } else if (at != at_) {
      go_to(at);
    }
    at_ = at;
    double real = 0, imaginary = 0;
    for (std::size_t n = 0; n < kWaves; ++n) real += cos_[n];
    for (std::size_t n = kWaves; n < 2 * kWaves; ++n) imaginary += cos_[n];
    return (real * real + imaginary * imaginary) / kWaves;
  }

 private:
  static constexpr std::size_t kWaves = 16;        // number in each quadrature
  static constexpr std::uint64_t kAnew = 1 << 12;  // samples after which it is computed anew, without
                                                   // accumulated rounding
  using Waves = std::array<double, 2 * kWaves>;

  void begin_turning() noexcept {
    for (std::size_t i = 0; i < 2 * kWaves; ++i) {
      turn_cos_[i] = std::cos(turn_[i]);
      turn_sin_[i] = std::sin(turn_[i]);
    }
    go_to(at_ = 0);
  }
  void turn() noexcept {
    for (std::size_t i = 0; i < 2 * kWaves; ++i) {
      const double cos = cos_[i] * turn_cos_[i] - sin_[i] * turn_sin_[i];
      sin_[i] = sin_[i] * turn_cos_[i] + cos_[i] * turn_sin_[i];
      cos_[i] = cos;
    }
  }
  void go_to(std::uint64_t at) noexcept {
    for (std::size_t i = 0; i < 2 * kWaves; ++i) {
      const double angle = phase_[i] + turn_[i] * static_cast<double>(at);
      cos_[i] = std::cos(angle);
      sin_[i] = std::sin(angle);
    }
  }

  Waves turn_, phase_, turn_cos_, turn_sin_, cos_, sin_;
  std::uint64_t at_ = 0;
  double step_;
};

}  // namespace dp
