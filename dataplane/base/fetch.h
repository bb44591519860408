// Asks for memory before it is touched, so that several objects are on their way to the cache at a time.
// Whatever does nothing else, and answers nothing that is used, must be always_inline: GCC takes a call of it
// for one without an effect, and leaves it out.
#pragma once
#include <cstddef>
#include <cstdint>

namespace dp {

// All cache lines of `bytes` from there on, to be written.
[[gnu::always_inline]] inline void fetch_lines(const void* from, std::size_t bytes) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(from);
  for (std::uintptr_t line = first & ~std::uintptr_t{63}; line < first + bytes; line += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(line), 1);
}

}  // namespace dp
