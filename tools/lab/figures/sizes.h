// Number and duration of transfers by size, in the bins of 001 Fig. 12 to 14. Plain values; runs add up.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "tools/lab/figures/result.h"

namespace lab {

// The largest size of each bin in bytes; the last bin holds all larger transfers. A kB is 1000 bytes.
inline constexpr std::array<std::uint64_t, 12> kSizeBins{
    3'500,  5'000,  7'000,   10'000,  15'000,    20'000,
    30'000, 50'000, 100'000, 300'000, 1'001'000, std::numeric_limits<std::uint64_t>::max()};
// 001 section 6.3: flows of at most this many bytes are short.
inline constexpr std::uint64_t kShortBytes = 15'000;

// Sums over complete transfers.
struct ResponseSum {
  std::uint64_t transfers = 0;
  double seconds = 0;         // Transfer::response()
  double seconds_per_kB = 0;  // sum of each transfer's time per size
  double from_request = 0;    // s, Transfer::started to Transfer::finished

  void add(const Transfer& transfer) noexcept;
  ResponseSum& operator+=(const ResponseSum& other) noexcept;
  double mean() const noexcept;               // s; NaN if there are none
  double mean_per_kB() const noexcept;        // s/kB; NaN if there are none
  double mean_from_request() const noexcept;  // s; NaN if there are none
};

using ResponsesBySize = std::array<ResponseSum, kSizeBins.size()>;

ResponsesBySize responses_by_size(std::span<const FlowResult> flows);
// Sum of the bins up to that of `bytes`.
ResponseSum responses_up_to(const ResponsesBySize& sizes, std::uint64_t bytes) noexcept;

}  // namespace lab
