// Durations by bucket, one writer and any readers (base/counter.h). Bounds follow 1-2-5 from 100 us to 100 s,
// the span from an idle link's serialisation to a bearer that is starved.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

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
  // By how many bits a number has: the first bucket that one of that size may be in. Between a power of two
  // and the next there is one bound at most, so it is in that or in the one after.
  static constexpr auto kFirst = [] {
    std::array<std::uint8_t, 65> first{};
    for (std::size_t bits = 0, at = 0; bits < first.size(); ++bits) {
      const std::uint64_t least = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
      while (at < kBounds.size() && static_cast<std::uint64_t>(kBounds[at]) < least) ++at;
      first[bits] = static_cast<std::uint8_t>(at);
    }
    return first;
  }();

  static std::size_t bucket_of(std::int64_t ns) noexcept {
    const std::size_t at = kFirst[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(ns)))];
    return at + (at < kBounds.size() && ns > kBounds[at]);
  }

  std::array<Counter, kBounds.size() + 1> buckets_;
  Counter sum_ns_;
};

}  // namespace dp
