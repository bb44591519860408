// Random durations and sizes of traffic, by inversion: each draw takes one number of the stream.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/time.h"

namespace lab {

// Requires: a mean that is not negative.
inline dp::Duration exponential(dp::Rng& rng, dp::Duration mean) noexcept {
  DP_EXPECT(mean >= dp::Duration{});
  const double at = -std::log1p(-rng.uniform()) * static_cast<double>(mean.count());
  return dp::Duration{static_cast<std::int64_t>(at)};
}

// The geometric distribution, from 1 on.
inline std::uint32_t geometric(dp::Rng& rng, double mean) noexcept {
  const double u = rng.uniform();
  if (mean <= 1) return 1;
  return 1 + static_cast<std::uint32_t>(std::log1p(-u) / std::log1p(-1 / mean));
}

// `mean` is the mean before the cut at `max`. Requires: a shape above 1, without which the mean is infinite;
// max > 0.
inline std::uint64_t pareto(dp::Rng& rng, double mean, double shape, std::uint64_t max) noexcept {
  DP_EXPECT(shape > 1 && max > 0);
  const double scale = mean * (shape - 1) / shape;
  const double at = scale / std::pow(1 - rng.uniform(), 1 / shape);
  return std::clamp<std::uint64_t>(at < static_cast<double>(max) ? static_cast<std::uint64_t>(at) : max, 1,
                                   max);
}

}  // namespace lab
