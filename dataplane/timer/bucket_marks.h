// Marks of the calendar's buckets that are not empty: a bit each, and bits over the words of these, so that
// the next is found in a few steps.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"

namespace dp {

// The marks of the wheel, with two levels of bits over the words.
class BucketMarks {
 public:
  static constexpr std::size_t kBuckets = std::size_t{1} << 18;

  [[gnu::always_inline]] void mark(std::size_t bucket) noexcept {
    std::uint64_t& word = words_[bucket >> 6];
    if (word == 0) [[unlikely]] {
      groups_[bucket >> 12] |= std::uint64_t{1} << (bucket >> 6 & 63);
      top_ |= std::uint64_t{1} << (bucket >> 12);
    }
    word |= std::uint64_t{1} << (bucket & 63);
  }
  void unmark(std::size_t bucket) noexcept { take(bucket, 1); }
  // Takes and clears the marks of `count` buckets from this one on, bit 0 being its own. Requires: all are in
  // one word.
  std::uint64_t take(std::size_t bucket, unsigned count) noexcept {
    DP_EXPECT_HOT(count > 0 && (bucket & 63) + count <= 64);
    std::uint64_t& word = words_[bucket >> 6];
    const std::uint64_t taken = word >> (bucket & 63) & ~std::uint64_t{0} >> (64 - count);
    word &= ~(taken << (bucket & 63));
    if (word == 0) {
      if ((groups_[bucket >> 12] &= ~(std::uint64_t{1} << (bucket >> 6 & 63))) == 0)
        top_ &= ~(std::uint64_t{1} << (bucket >> 12));
    }
    return taken;
  }
  bool none() const noexcept { return top_ == 0; }
  // The first marked bucket at `from` or later; the search wraps around. Requires: there is one.
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

// The marks of a level of buckets further away, which are fewer.
class LevelMarks {
 public:
  static constexpr std::size_t kBuckets = 1024;

  void mark(std::size_t bucket) noexcept {
    words_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
    summary_ = static_cast<std::uint16_t>(summary_ | 1u << bucket / 64);
  }
  void unmark(std::size_t bucket) noexcept {
    words_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    if (words_[bucket / 64] == 0) summary_ = static_cast<std::uint16_t>(summary_ & ~(1u << bucket / 64));
  }
  bool none() const noexcept { return summary_ == 0; }
  // Requires: there is one.
  std::size_t first() const noexcept {
    DP_EXPECT_HOT(!none());
    const auto word = static_cast<std::size_t>(std::countr_zero(summary_));
    return word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word]));
  }

 private:
  static_assert(kBuckets / 64 == 16);

  std::uint16_t summary_ = 0;
  std::array<std::uint64_t, kBuckets / 64> words_{};
};

}  // namespace dp
