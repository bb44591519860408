// What the link that empties a leg's buffer remembers. It stands amid the buffer, for a service touches it
// with what stands there; what is in it only the leg knows (bearer/leg.h).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dp {

struct LinkRoom {
  alignas(std::uint64_t) std::array<std::byte, 16> bytes;
};

}  // namespace dp
