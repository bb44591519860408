// The limit of a leg's buffer.
// Tests: tests/unit/buffer/buffer_test.cc
#pragma once
#include <cstdint>

namespace dp {

// An SDU is refused if either limit would be exceeded.
struct BufferLimit {
  std::uint32_t sdus = 50;
  std::uint32_t bytes = 1u << 20;

  // No IP packet is longer: an IPv6 header, and the length behind it in 16 bits.
  static constexpr std::uint32_t kLongestPacket = 40 + 65'535;
  // True if any SDU is accepted by an empty queue.
  bool takes_any_first() const noexcept { return sdus != 0 && bytes >= kLongestPacket; }
  friend bool operator==(const BufferLimit&, const BufferLimit&) = default;
};

}  // namespace dp
