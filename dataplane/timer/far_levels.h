// The calendar's (timer/calendar.h) levels of buckets beyond its wheel, each level's bucket as wide as all of
// the level below together. With a tick written in digits of kDigitBits bits, a node is kept at the level of
// the highest digit in which its tick differs from the cursor's, in the bucket with the number of this digit.
// So nodes of one level come before those of the levels above. Here are the marks of the buckets that are not
// empty; their lists are the calendar's.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/timer/bucket_marks.h"

namespace dp {

class FarLevels {
 public:
  static constexpr unsigned kDigitBits = 10;
  static constexpr unsigned kLevels = 5;  // with the lowest digit, 60 bits of ticks
  static constexpr std::size_t kBuckets = std::size_t{kLevels} << kDigitBits;
  static constexpr std::uint64_t kNoTick = ~std::uint64_t{0};

  // The bucket of a tick, which is marked. Requires: the tick comes after the cursor, and differs from it in
  // a digit above the lowest.
  std::size_t mark(std::uint64_t tick, std::uint64_t cursor) noexcept {
    const auto level = static_cast<unsigned>(std::bit_width(tick ^ cursor) - 1) / kDigitBits;
    DP_EXPECT_HOT(level > 0 && level <= kLevels && digit(tick, level) > digit(cursor, level));
    marks_[level - 1].mark(digit(tick, level));
    levels_ |= 1u << level;
    return bucket(level, digit(tick, level));
  }
  void unmark(std::size_t bucket) noexcept {
    const std::size_t level = bucket / LevelMarks::kBuckets + 1;
    marks_[level - 1].unmark(bucket % LevelMarks::kBuckets);
    if (marks_[level - 1].none()) levels_ &= ~(1u << level);
  }

  bool none() const noexcept { return lowest() > kLevels; }
  // The marked bucket whose ticks come first. Requires: there is one.
  std::size_t first() const noexcept {
    DP_EXPECT_HOT(!none());
    return bucket(lowest(), marks_[lowest() - 1].first());
  }
  // Its first tick; kNoTick when none is marked.
  std::uint64_t first_tick(std::uint64_t cursor) const noexcept {
    const unsigned level = lowest();
    if (level > kLevels) return kNoTick;
    const unsigned shift = level * kDigitBits;
    const std::uint64_t above = cursor >> shift >> kDigitBits << kDigitBits;
    return (above | marks_[level - 1].first()) << shift;
  }

 private:
  static_assert(LevelMarks::kBuckets == std::size_t{1} << kDigitBits);

  static std::size_t digit(std::uint64_t tick, unsigned level) noexcept {
    return tick >> (level * kDigitBits) & (LevelMarks::kBuckets - 1);
  }
  static std::size_t bucket(unsigned level, std::size_t digit) noexcept {
    return (level - 1) * LevelMarks::kBuckets + digit;
  }
  // The lowest level that holds a mark; above kLevels when none does.
  unsigned lowest() const noexcept { return static_cast<unsigned>(std::countr_zero(levels_)); }

  std::array<LevelMarks, kLevels> marks_{};
  // The bit of each level that holds a mark, by its number, and one above them all.
  std::uint32_t levels_ = 1u << (kLevels + 1);
};

}  // namespace dp
