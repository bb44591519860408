// The name of a GTP-U tunnel (TS 29.281 clause 4.2.1): its TEID at the address of the receiving endpoint.
// Tests: tests/unit/worker/tunnels_test.cc
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/udp.h"

namespace dp {

struct TunnelKey {
  std::uint64_t hi = 0, lo = 0;  // address of the receiving endpoint, as in UeAddress
  std::uint32_t teid = 0;
  bool ipv6 = false;
  friend bool operator==(const TunnelKey&, const TunnelKey&) = default;
};

// Offset of the UDP header that follows the IP header at `l3` of the frame. Requires: parsing has found both
// there.
inline std::size_t udp_behind(Bytes head, std::size_t l3) noexcept {
  DP_EXPECT_HOT(l3 + Ipv4View::kMinSize <= head.size());
  const std::byte* const ip = head.data() + l3;
  if (load8(ip) >> 4 == 4) return l3 + Ipv4View{ip}.header_size();
  if (Ipv6View{ip}.next_header() == ip_protocol::kUdp) [[likely]]
    return l3 + Ipv6View::kSize;
  const auto chain = Ipv6Chain::at(head.subspan(l3 + Ipv6View::kSize), Ipv6View{ip}.next_header());
  DP_EXPECT(chain.has_value());
  return l3 + Ipv6View::kSize + chain->size;
}

// The tunnel to which a GTP-U message is sent that stands in a datagram with its IP header at `l3`. Requires:
// as udp_behind(), and the GTP-U header is within `head`.
inline TunnelKey tunnel_key(Bytes head, std::size_t l3) noexcept {
  const std::byte* const ip = head.data() + l3;
  const std::uint32_t teid = GtpUView{head.data() + udp_behind(head, l3) + UdpView::kSize}.teid();
  if (load8(ip) >> 4 == 4) return {0, Ipv4View{ip}.destination(), teid, false};
  return {Ipv6View{ip}.destination_hi(), Ipv6View{ip}.destination_lo(), teid, true};
}

// The tunnel of a user's packet. Requires: it is in one.
inline TunnelKey tunnel_key(const Sdu& sdu) noexcept {
  DP_EXPECT_HOT(sdu.outer_offset != 0);
  return tunnel_key(sdu.head(), sdu.outer_offset);
}

// Stands for the address of a tunnel's end at the core, in 20 bits: different ones have the same tag with a
// probability of 2^-19.
using GatewayTag = std::uint32_t;
inline constexpr GatewayTag kAnyGateway = 0;  // not known
inline constexpr GatewayTag kMaxGatewayTag = (1u << 20) - 1;

inline GatewayTag gateway_tag(std::uint64_t hi, std::uint64_t lo) noexcept {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  return static_cast<GatewayTag>((hi * kGolden ^ lo) * kGolden >> 45) << 1 | 1;
}
// For a user's packet: downlink the sender of its G-PDU, uplink the receiver. Requires: it is in a tunnel.
inline GatewayTag gateway_tag(const Sdu& sdu, Direction direction) noexcept {
  DP_EXPECT_HOT(sdu.outer_offset != 0);
  const bool down = direction == Direction::downlink;
  const std::byte* const ip = sdu.data + sdu.outer_offset;
  if (load8(ip) >> 4 == 4) return gateway_tag(0, down ? Ipv4View{ip}.source() : Ipv4View{ip}.destination());
  const Ipv6View v6{ip};
  return down ? gateway_tag(v6.source_hi(), v6.source_lo())
              : gateway_tag(v6.destination_hi(), v6.destination_lo());
}

// The QFI of a user's packet; GtpUChain::kNoQfi without one. Requires: it is in a tunnel.
inline std::uint8_t tunnel_qfi(const Sdu& sdu) noexcept {
  DP_EXPECT_HOT(sdu.outer_offset != 0);
  const std::size_t gtp = udp_behind(sdu.head(), sdu.outer_offset) + UdpView::kSize;
  const auto chain = GtpUChain::at(sdu.head().subspan(gtp, sdu.l3_offset - gtp));
  return chain ? chain->qfi : GtpUChain::kNoQfi;
}

}  // namespace dp
