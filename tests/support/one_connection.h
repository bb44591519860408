// Frames of one connection between a UE and a server: port 40000 of the UE, port 80 of the server.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tests/support/frames.h"

namespace dp::test {

// A segment that comes in at `side`, from the UE at the radio and from the server at the core. It always
// acknowledges 1001 at the radio and 101 at the core.
inline FrameSpec segment_from(Side side, const Ip& ue, const Ip& server, std::uint8_t flags,
                              std::uint32_t seq, std::size_t payload) {
  const bool up = side == Side::radio;
  return {.src = up ? ue : server,
          .dst = up ? server : ue,
          .sport = static_cast<std::uint16_t>(up ? 40'000 : 80),
          .dport = static_cast<std::uint16_t>(up ? 80 : 40'000),
          .seq = seq,
          .ack = up ? 1001u : 101u,
          .tcp_flags = flags,
          .payload = payload};
}

}  // namespace dp::test
