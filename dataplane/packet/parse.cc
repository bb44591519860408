#include "dataplane/packet/parse.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/icmp.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/peel.h"
#include "dataplane/packet/tcp.h"
#include "dataplane/packet/udp.h"

namespace dp {
namespace {

// The fields that parse() sets in an Sdu. Collected in locals: stores through the Sdu between loads of the
// frame would make the compiler reload everything.
struct Found {
  FrameKind kind = FrameKind::unparsable;
  std::size_t l3_offset = 0;
  std::size_t l4_offset = 0;
  std::size_t ip_len = 0;
  std::uint8_t l4_protocol = 0;
  std::uint8_t ecn = 0;
  bool ipv6 = false;
  bool fragment = false;
  std::size_t outer_offset = 0;
  NetworkId network = kNoNetwork;
  GtpUVerdict verdict = GtpUVerdict::bare;
};

Found only(FrameKind kind) noexcept {
  Found found;
  found.kind = kind;
  return found;
}

struct Frame {
  Bytes head;
  std::size_t length;

  // The readable bytes of [from, to) of the frame. Requires: `from` is within the head.
  Bytes within(std::size_t from, std::size_t to) const noexcept {
    DP_EXPECT_HOT(from <= head.size());
    return head.subspan(from, std::min(to, head.size()) - from);
  }
};

bool whole_l4(std::uint8_t protocol, Bytes l4) noexcept {
  switch (protocol) {
    case ip_protocol::kTcp:
      return TcpView::at(l4).has_value();
    case ip_protocol::kUdp:
      return UdpView::at(l4).has_value();
    case ip_protocol::kIcmp:
    case ip_protocol::kIcmpv6:
      return IcmpView::at(l4).has_value();
    default:
      return !l4.empty();
  }
}

FrameKind kind_of(const Found& found, Bytes l4, bool to_group) noexcept {
  const bool readable = found.l4_offset != 0;
  if (found.l4_protocol == ip_protocol::kIcmpv6 && found.ipv6 && readable) {
    if (is_neighbour_discovery(IcmpView{l4.data()}.type())) return FrameKind::link_control;
  }
  if (found.l4_protocol == ip_protocol::kUdp && readable) {
    if (is_bfd_port(UdpView{l4.data()}.destination_port())) return FrameKind::routing;
  }
  if (found.l4_protocol == ip_protocol::kOspf) return FrameKind::routing;
  return to_group ? FrameKind::multicast : FrameKind::ip;
}

// The common part of IPv4 and IPv6 once protocol and ip_len are known. `at_l4`: a layer-4 header can begin at
// `offset`. Inlining is forced: passing Found through memory costs more than all of the parsing.
[[gnu::always_inline]] inline Found finish(Found found, const Frame& frame, std::size_t offset, bool at_l4,
                                           bool to_group) noexcept {
  const Bytes l4 = frame.within(offset, found.l3_offset + found.ip_len);
  if (at_l4 && whole_l4(found.l4_protocol, l4)) found.l4_offset = offset;
  found.kind = kind_of(found, l4, to_group);
  return found;
}

Found truncated(Found found, const Frame& frame) noexcept {
  found.kind = FrameKind::truncated;
  found.ip_len = frame.length - found.l3_offset;
  return found;
}

Found parse_ipv4(const Frame& frame, std::size_t offset, bool to_group) noexcept {
  const auto ip = Ipv4View::at(frame.head.subspan(offset));
  if (!ip) return only(FrameKind::unparsable);
  Found found;
  found.l3_offset = offset;
  found.ip_len = ip->total_length();
  found.l4_protocol = ip->protocol();
  found.ecn = ip->ecn();
  found.fragment = ip->fragment();
  if (offset + found.ip_len > frame.length) return truncated(found, frame);
  return finish(found, frame, offset + ip->header_size(), ip->fragment_offset() == 0,
                to_group || ip->to_group());
}

Found parse_ipv6(const Frame& frame, std::size_t offset, bool to_group) noexcept {
  const auto ip = Ipv6View::at(frame.head.subspan(offset));
  if (!ip) return only(FrameKind::unparsable);
  Found found;
  found.ipv6 = true;
  found.l3_offset = offset;
  found.ip_len = Ipv6View::kSize + ip->payload_length();
  found.l4_protocol = ip->next_header();
  found.ecn = ip->ecn();
  if (offset + found.ip_len > frame.length) return truncated(found, frame);
  const std::size_t payload = offset + Ipv6View::kSize;
  const auto chain = Ipv6Chain::at(frame.within(payload, offset + found.ip_len), found.l4_protocol);
  if (!chain) return only(FrameKind::unparsable);
  found.l4_protocol = chain->protocol;
  found.fragment = chain->fragment;
  return finish(found, frame, payload + chain->size, chain->ends_at_l4, to_group || ip->to_group());
}

Found parse_ip(const Frame& frame, bool ipv6, std::size_t offset, bool to_group) noexcept {
  return ipv6 ? parse_ipv6(frame, offset, to_group) : parse_ipv4(frame, offset, to_group);
}

// The packet within the tunnel, if `outer` is a G-PDU between peers with a whole IP packet; otherwise
// `outer`.
Found decapsulate(Found outer, const Frame& frame, const GtpUSettings& settings) noexcept {
  const Peeled peeled = peel({.head = frame.head,
                              .l3_offset = outer.l3_offset,
                              .l4_offset = outer.l4_offset,
                              .end = outer.l3_offset + outer.ip_len,
                              .ipv6 = outer.ipv6,
                              .fragment = outer.fragment},
                             settings);
  if (peeled.verdict == GtpUVerdict::peeled) {
    const Frame within{frame.head.first(std::min(frame.head.size(), peeled.end)), peeled.end};
    Found inner = parse_ip(within, load8(frame.head.data() + peeled.inner) >> 4 == 6, peeled.inner, false);
    inner.outer_offset = outer.l3_offset;
    inner.network = peeled.network;
    inner.verdict = peeled.verdict;
    if (inner.kind != FrameKind::unparsable && inner.kind != FrameKind::truncated) return inner;
  }
  outer.verdict = peeled.verdict == GtpUVerdict::peeled ? GtpUVerdict::inner : peeled.verdict;
  if (outer.verdict != GtpUVerdict::bare) outer.kind = FrameKind::gtp_u;
  return outer;
}

Found parse_frame(const Frame& frame, const GtpUSettings* settings) noexcept {
  const auto ethernet = EthernetView::at(frame.head);
  if (!ethernet) return only(FrameKind::unparsable);
  if (ethernet->to_neighbour()) return only(FrameKind::link_control);
  std::uint16_t type = ethernet->type();
  std::size_t offset = EthernetView::kSize;
  for (int tags = 0; is_vlan(type); ++tags) {
    if (tags == 2) return only(FrameKind::other);
    const auto tag = VlanView::at(frame.head.subspan(offset));
    if (!tag) return only(FrameKind::unparsable);
    type = tag->type();
    offset += VlanView::kSize;
  }
  if (type != ethertype::kIpv4 && type != ethertype::kIpv6)
    return only(keeps_link(type) ? FrameKind::link_control : FrameKind::other);
  const Found found = parse_ip(frame, type == ethertype::kIpv6, offset, ethernet->to_group());
  const bool datagram = found.kind == FrameKind::ip && found.l4_protocol == ip_protocol::kUdp;
  return datagram && settings != nullptr ? decapsulate(found, frame, *settings) : found;
}

}  // namespace

GtpUVerdict parse_any(Sdu& sdu, const GtpUSettings* gtp_u) noexcept {
  const Found found = parse_frame({sdu.head(), sdu.frame_len}, gtp_u);
  sdu.ip_len = static_cast<std::uint32_t>(found.ip_len);
  sdu.l3_offset = static_cast<std::uint8_t>(found.l3_offset);
  sdu.outer_offset = static_cast<std::uint8_t>(found.outer_offset);
  sdu.network = found.network;
  sdu.l4_offset = static_cast<std::uint16_t>(found.l4_offset);
  sdu.l4_protocol = found.l4_protocol;
  sdu.ecn = found.ecn;
  sdu.kind = found.kind;
  sdu.ipv6 = found.ipv6;
  sdu.fragment = found.fragment;
  sdu.flow = 0;
  return found.verdict;
}

}  // namespace dp
