// Parsing one frame: Ethernet, up to two VLAN tags, IPv4 or IPv6, down to the layer-4 header; between tunnel
// endpoints the same of the packet that the tunnel carries. Reads only the first segment, and never beyond
// it; every frame, however malformed, gets one of FrameKind.
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/parse_plain.h"
#include "dataplane/packet/peel.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// Sets kind, offsets, ip_len, l4_protocol, ecn, ipv6 and fragment from the bytes at sdu.data, and the network
// of a tunnel's endpoints (no VLAN's). They are those of a tunnelled packet if the frame has one and `gtp_u`
// names its endpoints: outer_offset is not 0 then. A packet is taken out of one tunnel at most: users may run
// tunnels themselves. A frame in which no IP packet was found has l3_offset, l4_offset and ip_len 0.
// `gtp_u`: null without tunnels.
GtpUVerdict parse_any(Sdu& sdu, const GtpUSettings* gtp_u = nullptr) noexcept;
// Like parse_any(), with the fast path for plain frames; for bursts use parse_and_screen().
inline void parse(Sdu& sdu, const GtpUSettings* gtp_u = nullptr) noexcept {
  if (!parse_plain(sdu)) parse_any(sdu, gtp_u);
}

// An address in host byte order (IPv4: in `lo`), and the network of the frame.
struct IpAddress {
  bool ipv6;
  std::uint64_t hi, lo;
  NetworkId network = kNoNetwork;
};

// The UE's address: destination on the downlink, source on the uplink. Requires: parse() has found an IP
// packet.
[[gnu::always_inline]] inline IpAddress ue_address(const Sdu& sdu, Direction direction) noexcept {
  DP_EXPECT_HOT(sdu.l3_offset + (sdu.ipv6 ? Ipv6View::kSize : Ipv4View::kMinSize) <= sdu.head_len);
  const std::byte* l3 = sdu.data + sdu.l3_offset;
  const bool downlink = direction == Direction::downlink;
  if (!sdu.ipv6) {
    const Ipv4View ip{l3};
    return {false, 0, downlink ? ip.destination() : ip.source(), sdu.network};
  }
  const Ipv6View ip{l3};
  if (downlink) return {true, ip.destination_hi(), ip.destination_lo(), sdu.network};
  return {true, ip.source_hi(), ip.source_lo(), sdu.network};
}

}  // namespace dp
