// Which flow a packet is of, as a number: the 5-tuple mixed with a seed that whoever sends the packets does
// not know. Fragments, and protocols without ports, go by their addresses and protocol.
#pragma once
#include <cstdint>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// Source and destination port in one word; 0 where there are none to read. All fragments of a packet must
// give the same, and only the first has ports.
inline std::uint32_t ports_word(const Sdu& sdu) noexcept {
  const bool ports = sdu.l4_protocol == ip_protocol::kTcp || sdu.l4_protocol == ip_protocol::kUdp;
  if (!ports || sdu.fragment || sdu.l4_offset == 0 || sdu.l4_offset + 4u > sdu.head_len) return 0;
  return load32(sdu.data + sdu.l4_offset);
}

inline std::uint32_t flow_hash(const Sdu& sdu, std::uint64_t seed) noexcept {
  // The output function of splitmix64 after each word.
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  const std::byte* const ip = sdu.data + sdu.l3_offset;
  std::uint64_t h = mix(seed ^ (std::uint64_t{sdu.l4_protocol} << 32 | ports_word(sdu)));
  if (sdu.ipv6) {
    for (unsigned at = 8; at < 40; at += 8) h = mix(h ^ load64(ip + at));
  } else {
    h = mix(h ^ load64(ip + 12));
  }
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace dp
