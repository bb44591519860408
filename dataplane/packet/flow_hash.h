// The flow of a packet as a number: the 5-tuple hashed with a seed that senders do not know. For fragments
// and protocols without ports the hash covers only addresses and protocol.
// Tests: tests/unit/aqm/flow_queues_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/keyed_hash.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// Source and destination port in one word; 0 if unreadable. All fragments of a packet must have one value,
// and only the first has ports.
inline std::uint32_t ports_word(const Sdu& sdu) noexcept {
  const bool ports = sdu.l4_protocol == ip_protocol::kTcp || sdu.l4_protocol == ip_protocol::kUdp;
  if (!ports || sdu.fragment || sdu.l4_offset == 0 || sdu.l4_offset + 4u > sdu.head_len) return 0;
  return load32(sdu.data + sdu.l4_offset);
}

// Requires: parse() has found an IP packet.
inline std::uint32_t flow_hash(const Sdu& sdu, const KeyedHash& hash) noexcept {
  DP_EXPECT(sdu.l3_offset + (sdu.ipv6 ? Ipv6View::kSize : Ipv4View::kMinSize) <= sdu.head_len);
  const std::byte* const ip = sdu.data + sdu.l3_offset;
  const std::uint64_t ends = std::uint64_t{sdu.l4_protocol} << 32 | ports_word(sdu);
  const std::uint64_t h = sdu.ipv6
                              ? hash(ends, load64(ip + 8), load64(ip + 16), load64(ip + 24), load64(ip + 32))
                              : hash(ends, load64(ip + 12));
  return static_cast<std::uint32_t>(h);
}

}  // namespace dp
