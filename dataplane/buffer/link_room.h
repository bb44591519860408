// The memory of the link that empties a leg's buffer. It stands amid the buffer, since a service touches it
// together with its neighbours; only the leg knows its content (bearer/leg.h).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace dp {

struct LinkRoom {
  alignas(std::uint64_t) std::array<std::byte, 16> bytes;
};

}  // namespace dp
