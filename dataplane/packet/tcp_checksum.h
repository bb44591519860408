// Verifies a TCP segment's checksum (RFC 9293 section 3.1), before any state is changed by the segment. Reads
// the frame, owns nothing.
// Tests: tests/unit/ack/hostile_test.cc
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// RFC 9293 section 3.1 and RFC 8200 section 8.1: the addresses in header order, protocol, length.
inline InternetSum tcp_pseudo_header(Bytes addresses, std::size_t length) noexcept {
  InternetSum sum;
  sum.add(addresses).add16(ip_protocol::kTcp).add32(static_cast<std::uint32_t>(length));
  return sum;
}

// Requires: `sdu` is a whole TCP segment whose header was found (flow_segment). A segment in several mbufs
// cannot be read completely and is taken as right. A segment with checksum offload has only the
// pseudo-header's sum and is taken as wrong, as its receiver would.
inline bool tcp_checksum_right(const Sdu& sdu) noexcept {
  DP_EXPECT(sdu.l4_protocol == ip_protocol::kTcp && sdu.l4_offset > sdu.l3_offset);
  DP_EXPECT(sdu.ip_len >= sdu.l4_offset - sdu.l3_offset + 20u);
  const std::size_t length = sdu.ip_len - (sdu.l4_offset - sdu.l3_offset);
  if (sdu.l4_offset + length > sdu.head_len) return true;
  const Bytes packet = sdu.head().subspan(sdu.l3_offset);
  const Bytes addresses = sdu.ipv6 ? packet.subspan(8, 32) : packet.subspan(12, 8);
  const Bytes segment = sdu.head().subspan(sdu.l4_offset, length);
  return tcp_pseudo_header(addresses, length).add(segment).folded() == 0xffff;
}

}  // namespace dp
