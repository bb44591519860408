// How much the buffer of a leg takes.
#pragma once
#include <cstdint>

namespace dp {

// An SDU is refused when either limit would be exceeded.
struct BufferLimit {
  std::uint32_t sdus = 50;
  std::uint32_t bytes = 1u << 20;

  // No IP packet is longer: an IPv6 header, and what 16 bits say comes behind it.
  static constexpr std::uint32_t kLongestPacket = 40 + 65'535;
  // Whatever comes is taken where nothing is queued.
  bool takes_any_first() const noexcept { return sdus != 0 && bytes >= kLongestPacket; }
  friend bool operator==(const BufferLimit&, const BufferLimit&) = default;
};

}  // namespace dp
