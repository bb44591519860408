// Prefetches memory before it is touched, so that several objects are on their way to the cache at a time. A
// function that does nothing else, and whose result is not used, must be always_inline: GCC takes a call of
// it for one without an effect, and leaves it out.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"

namespace dp {

inline constexpr std::size_t kCacheLine = 64;

// Prefetches `kBytes` from there on, to be written. Requires: a cache line begins there.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void fetch_lines(const void* from) noexcept {
  static_assert(kBytes > 0);
  DP_EXPECT_HOT(reinterpret_cast<std::uintptr_t>(from) % kCacheLine == 0);
  for (std::size_t at = 0; at < kBytes; at += kCacheLine)
    __builtin_prefetch(static_cast<const std::byte*>(from) + at, 1);
}

}  // namespace dp
