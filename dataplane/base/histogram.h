// Durations by bucket, one writer and any readers (base/counter.h). Bounds follow 1-2-5 from 100 us to 100 s,
// the span from an idle link's serialisation to a bearer that is starved.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "dataplane/base/counter.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

class DurationHistogram {
 public:
  // Upper bounds, inclusive, in nanoseconds; a last bucket without bound follows.
  static constexpr std::array<std::int64_t, 19> kBounds{
      100'000,        200'000,        500'000,        1'000'000,      2'000'000,
      5'000'000,      10'000'000,     20'000'000,     50'000'000,     100'000'000,
      200'000'000,    500'000'000,    1'000'000'000,  2'000'000'000,  5'000'000'000,
      10'000'000'000, 20'000'000'000, 50'000'000'000, 100'000'000'000};

  // Requires: `d` is not negative.
  void add(Duration d) noexcept {
    DP_EXPECT_HOT(d >= Duration{});
    buckets_[bucket_of(d.count())].add(1);
    sum_ns_.add(static_cast<std::uint64_t>(d.count()));
  }

  // Requires: i <= kBounds.size(), which is the bucket without bound.
  std::uint64_t bucket(std::size_t i) const noexcept {
    DP_EXPECT_HOT(i < buckets_.size());
    return buckets_[i].get();
  }
  std::uint64_t sum_ns() const noexcept { return sum_ns_.get(); }

 private:
  // Between a power of two and the next there is one bound at most. So a number is in the first bucket that
  // one with the same highest bit may be in, or in the one after.
  static constexpr auto kFirst = [] {
    std::array<std::uint8_t, 64> first{};
    for (std::size_t bit = 0, at = 0; bit < first.size(); ++bit) {
      while (at < kBounds.size() && static_cast<std::uint64_t>(kBounds[at]) < std::uint64_t{1} << bit) ++at;
      first[bit] = static_cast<std::uint8_t>(at);
    }
    return first;
  }();
  // The bound of that bucket; for the last, a value that no number exceeds.
  static constexpr auto kMost = [] {
    std::array<std::int64_t, kFirst.size()> most{};
    for (std::size_t bit = 0; bit < most.size(); ++bit) {
      const std::size_t first = kFirst[bit];
      most[bit] = first < kBounds.size() ? kBounds[first] : std::numeric_limits<std::int64_t>::max();
    }
    return most;
  }();

  static std::size_t bucket_of(std::int64_t ns) noexcept {
    // For 0 the highest bit is that of 1.
    const auto highest = static_cast<unsigned>(63 - std::countl_zero(static_cast<std::uint64_t>(ns) | 1));
    return kFirst[highest] + std::size_t{ns > kMost[highest]};
  }

  std::array<Counter, kBounds.size() + 1> buckets_;
  Counter sum_ns_;
};

}  // namespace dp
