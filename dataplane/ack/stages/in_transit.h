// Estimate of a source's data in transit to the box: data that released ACKs have clocked out and that has
// not arrived. Data older than a horizon was never sent, or is lost. Part of a stage's state of a flow.
// Tests: tests/unit/ack/stages/shares_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

class InTransit {
 public:
  void clocked_out(std::uint32_t bytes, Time now, Duration horizon) noexcept {
    advance(now, horizon);
    bins_[kBins - 1] += bytes;
  }
  // Removes arrived bytes, the oldest first.
  void arrived(std::uint32_t bytes) noexcept {
    for (std::uint32_t& bin : bins_) {
      const std::uint32_t taken = std::min(bin, bytes);
      bin -= taken;
      bytes -= taken;
    }
  }
  std::uint32_t bytes(Time now, Duration horizon) noexcept {
    advance(now, horizon);
    std::uint32_t sum = 0;
    for (const std::uint32_t bin : bins_) sum += bin;
    return sum;
  }

 private:
  static constexpr std::size_t kBins = 16;

  // Moves the last bin to `now`; bins that leave at the front are beyond the horizon.
  void advance(Time now, Duration horizon) noexcept {
    DP_EXPECT(horizon >= Duration{});
    const std::int64_t width =
        std::max<std::int64_t>(horizon.count() / static_cast<std::int64_t>(kBins - 1), 1);
    const std::int64_t at = ns(now) / width;
    const std::int64_t passed = width == width_ ? std::max<std::int64_t>(at - last_, 0) : kBins;
    if (passed == 0) return;
    width_ = width;
    last_ = at;
    const auto gone = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(passed, kBins));
    std::fill(std::move(bins_.begin() + gone, bins_.end(), bins_.begin()), bins_.end(), 0u);
  }

  std::array<std::uint32_t, kBins> bins_{};  // by the time at which they were clocked out, the oldest first
  std::int64_t last_ = 0;                    // start of the last bin, in bin widths
  std::int64_t width_ = 0;
};

}  // namespace dp
