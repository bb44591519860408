// A Counter whose halves are apart: the lower 32 of its 64 bits are in memory that is written all the time,
// the rest in memory that is rarely read. One writer, any readers (base/counter.h). The upper part counts the
// changes of the highest of the lower bits, two for each overflow of these: a reader that reads one part
// after the other learns from that bit if a change was counted already.
#pragma once
#include <cstdint>

#include "dataplane/base/counter.h"
#include "dataplane/base/expect.h"

namespace dp {

class SplitCounter {
 public:
  // Requires: n < 2^31.
  [[gnu::always_inline]] static void add(SmallCounter& low, SmallCounter& changes, std::uint32_t n) noexcept {
    DP_EXPECT_HOT(n < kHighest);
    const std::uint32_t before = low.own(), after = before + n;
    low.set_after(after);  // each change before it
    if (((before ^ after) & kHighest) != 0) [[unlikely]]
      changes.set_after(changes.own() + 1);
  }
  static std::uint64_t get(const SmallCounter& low, const SmallCounter& changes) noexcept {
    std::uint32_t counted, lower;
    do {
      counted = changes.get_before();
      lower = low.get_before();
    } while (changes.get() != counted);
    // Odd while the bit is set.
    const std::uint64_t all = std::uint64_t{counted} + ((counted ^ lower / kHighest) & 1);
    return all / 2 << 32 | lower;
  }

 private:
  static constexpr std::uint32_t kHighest = std::uint32_t{1} << 31;
};

}  // namespace dp
