// Ethernet frames with IP packets and their fragments, for tests of what a mirror copies.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/told/pfcp_messages.h"

namespace control::test {

inline constexpr std::uint64_t kFrameSource = 0xc0000201, kFrameDestination = 0xc0000202;
inline constexpr std::uint64_t kFramePrefix = 0x20010db800010000;

struct FragmentPlace {
  std::uint32_t id = 0;
  std::size_t offset = 0;
  bool more = false;
};

inline Octets ethernet(unsigned type, const Octets& packet, const Octets& tags = {}) {
  Octets frame = joined({number(1, 6), number(2, 6), tags, number(type, 2), packet});
  if (frame.size() < 60) frame.resize(60);
  return frame;
}
inline Octets ipv4(const Octets& payload, const FragmentPlace& place = {}, unsigned protocol = 17) {
  const std::uint64_t word = place.offset / 8 | (place.more ? 0x2000 : 0);
  return joined({number(0x4500, 2), number(20 + payload.size(), 2), number(place.id, 2), number(word, 2),
                 number(64, 1), number(protocol, 1), number(0, 2), number(kFrameSource, 4),
                 number(kFrameDestination, 4), payload});
}
inline Octets ipv6(unsigned next_header, const Octets& payload) {
  return joined({number(0x60000000, 4), number(payload.size(), 2), number(next_header, 1), number(64, 1),
                 number(kFramePrefix, 8), number(1, 8), number(kFramePrefix, 8), number(2, 8), payload});
}
inline Octets ipv6_fragment(unsigned next_header, const Octets& payload, const FragmentPlace& place) {
  const std::uint64_t word = place.offset | (place.more ? 1 : 0);
  return ipv6(44,
              joined({number(next_header, 1), number(0, 1), number(word, 2), number(place.id, 4), payload}));
}
inline Octets udp(unsigned from, unsigned to, const Octets& payload) {
  return joined({number(from, 2), number(to, 2), number(8 + payload.size(), 2), number(0, 2), payload});
}

// The frames of a packet in fragments with `size` bytes each, a multiple of eight.
inline std::vector<Octets> fragments_of(const Octets& payload, bool over_ipv6, std::uint32_t id,
                                        std::size_t size) {
  std::vector<Octets> frames;
  for (std::size_t at = 0; at < payload.size(); at += size) {
    const std::size_t end = std::min(payload.size(), at + size);
    const Octets piece(payload.begin() + static_cast<std::ptrdiff_t>(at),
                       payload.begin() + static_cast<std::ptrdiff_t>(end));
    const FragmentPlace place{id, at, end < payload.size()};
    frames.push_back(over_ipv6 ? ethernet(0x86dd, ipv6_fragment(17, piece, place))
                               : ethernet(0x0800, ipv4(piece, place)));
  }
  return frames;
}

}  // namespace control::test
