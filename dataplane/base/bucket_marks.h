// Which buckets of the calendar's wheel hold something: a bit each, and two levels of bits over these, so
// that the next is found in a few steps.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"

namespace dp {

class BucketMarks {
 public:
  static constexpr std::size_t kBuckets = std::size_t{1} << 18;

  void mark(std::size_t bucket) noexcept {
    words_[bucket >> 6] |= std::uint64_t{1} << (bucket & 63);
    groups_[bucket >> 12] |= std::uint64_t{1} << (bucket >> 6 & 63);
    top_ |= std::uint64_t{1} << (bucket >> 12);
  }
  void unmark(std::size_t bucket) noexcept {
    if ((words_[bucket >> 6] &= ~(std::uint64_t{1} << (bucket & 63))) != 0) return;
    if ((groups_[bucket >> 12] &= ~(std::uint64_t{1} << (bucket >> 6 & 63))) != 0) return;
    top_ &= ~(std::uint64_t{1} << (bucket >> 12));
  }
  bool none() const noexcept { return top_ == 0; }
  // The first at `from` or later; after the last comes the first again. Requires: there is one.
  std::size_t next(std::size_t from) const noexcept {
    DP_EXPECT_HOT(!none());
    if (const std::uint64_t here = words_[from >> 6] >> (from & 63); here != 0) {
      return from + static_cast<std::size_t>(std::countr_zero(here));
    }
    // Shifted in two steps, since by the whole width would be undefined.
    const std::size_t group = from >> 12;
    const std::uint64_t words = groups_[group] >> (from >> 6 & 63) >> 1;
    if (words != 0) return first_of((from >> 6) + 1 + static_cast<std::size_t>(std::countr_zero(words)));
    const std::uint64_t later = top_ & ~std::uint64_t{0} << group << 1;
    const auto at = static_cast<std::size_t>(std::countr_zero(later != 0 ? later : top_));
    return first_of(at * 64 + static_cast<std::size_t>(std::countr_zero(groups_[at])));
  }

 private:
  std::size_t first_of(std::size_t word) const noexcept {
    return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
  }

  static_assert(kBuckets / 4096 == 64);

  std::uint64_t top_ = 0;
  std::array<std::uint64_t, kBuckets / 4096> groups_{};
  std::array<std::uint64_t, kBuckets / 64> words_{};
};

}  // namespace dp
