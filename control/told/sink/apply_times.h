// A histogram of the times from a message on the wire to rncd's answer.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/time.h"

namespace control::told {

struct ApplyTimes {
  // Upper bounds of the buckets in seconds; one more is without a bound.
  static constexpr std::array kBounds{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                      0.2,   0.5,   1.0,   2.0,  5.0,  10.0};

  std::array<std::uint64_t, kBounds.size() + 1> buckets{};
  std::uint64_t count = 0;
  double sum_s = 0;

  void add(dp::Duration took) {
    const double seconds = static_cast<double>(std::max(took, dp::Duration{0}).count()) / 1e9;
    ++buckets[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin())];
    ++count;
    sum_s += seconds;
  }
};

}  // namespace control::told
