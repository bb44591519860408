// Asks for memory before it is touched, so that several objects are on their way to the cache at a time.
#pragma once
#include <cstddef>

namespace dp {

// All cache lines of `bytes` from there on, to be written.
[[gnu::always_inline]] inline void fetch_lines(const void* from, std::size_t bytes) noexcept {
  const auto* line = static_cast<const std::byte*>(from);
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(line + at, 1);
}

}  // namespace dp
