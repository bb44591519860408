// The connection of a TCP segment: the 5-tuple, equal for both directions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/tcp.h"

namespace dp {

struct FlowKey {
  std::uint64_t ue_hi = 0, ue_lo = 0;  // an IPv4 address is in `lo`
  std::uint64_t peer_hi = 0, peer_lo = 0;
  std::uint16_t ue_port = 0, peer_port = 0;
  bool ipv6 = false;
  friend bool operator==(const FlowKey&, const FlowKey&) = default;
};

// True for a connection of this UE. Requires: the UE is one IPv6 address.
constexpr bool is_of(const FlowKey& key, const UeAddress& ue) noexcept {
  DP_EXPECT(ue.kind == UeKind::ipv6_128);
  return key.ipv6 && key.ue_hi == ue.hi && key.ue_lo == ue.lo;
}

// One TCP segment as parsed for the flow table and the ACK stages. A view of the frame; owns nothing.
struct FlowSegment {
  FlowKey key;
  TcpView tcp;
  std::uint32_t payload;  // bytes

  // Its length in sequence space (RFC 9293 section 3.4).
  std::uint32_t length() const noexcept {
    return payload + (tcp.has(TcpView::kSyn) ? 1u : 0u) + (tcp.has(TcpView::kFin) ? 1u : 0u);
  }
};

// None if the frame is not a whole TCP segment with a readable header: another protocol, a fragment, a header
// that extends beyond the first segment or contradicts the packet's length.
inline std::optional<FlowSegment> flow_segment(const Sdu& sdu, Direction direction) noexcept {
  if (sdu.l4_protocol != ip_protocol::kTcp || sdu.fragment || sdu.l4_offset == 0) return std::nullopt;
  if (sdu.l4_offset > sdu.head_len) return std::nullopt;
  const auto tcp = TcpView::at(sdu.head().subspan(sdu.l4_offset));
  if (!tcp) return std::nullopt;
  const std::size_t headers = sdu.l4_offset - sdu.l3_offset + tcp->header_size();
  if (headers > sdu.ip_len) return std::nullopt;
  const bool down = direction == Direction::downlink;
  const IpAddress ue = ue_address(sdu, direction);
  const IpAddress peer = ue_address(sdu, down ? Direction::uplink : Direction::downlink);
  const FlowKey key{ue.hi,
                    ue.lo,
                    peer.hi,
                    peer.lo,
                    down ? tcp->destination_port() : tcp->source_port(),
                    down ? tcp->source_port() : tcp->destination_port(),
                    sdu.ipv6};
  return FlowSegment{key, *tcp, static_cast<std::uint32_t>(sdu.ip_len - headers)};
}

}  // namespace dp
