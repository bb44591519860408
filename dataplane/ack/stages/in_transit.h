// How much data of a source is on its way to the box: what the ACKs that were let go have clocked out and has
// not come yet. What has not come within a horizon was never sent, or is lost. Lives in what a stage keeps of
// a flow.
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
  // The oldest first.
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

  // The last bin is that of `now`; what leaves at the front is older than the horizon.
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

  std::array<std::uint32_t, kBins> bins_{};  // by when they were clocked out, the oldest first
  std::int64_t last_ = 0;                    // when the last bin began, in widths
  std::int64_t width_ = 0;
};

}  // namespace dp
