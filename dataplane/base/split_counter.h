// A Counter whose halves lie apart: of its 64 bits the lower 32 stand where they are added to all the time,
// the rest where nobody looks for long. One writer, any readers (base/counter.h). The upper part counts how
// often the highest of the lower bits has changed, twice for each time that these run over: whoever reads the
// one after the other sees by that bit whether a change was counted already.
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
