// How much the buffer of a leg takes.
#pragma once
#include <cstdint>

namespace dp {

// An SDU is refused when either limit would be exceeded.
struct BufferLimit {
  std::uint32_t sdus = 50;
  std::uint32_t bytes = 1u << 20;
  friend bool operator==(const BufferLimit&, const BufferLimit&) = default;
};

}  // namespace dp
