#include "control/told/mirror/ip_packet.h"

#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"

namespace control::told {
namespace {

using dp::Bytes;

FrameKind read_ipv4(Bytes bytes, IpPacket& packet) {
  const auto ip = dp::Ipv4View::at(bytes);
  if (!ip) return FrameKind::malformed;
  if (ip->total_length() > bytes.size()) return FrameKind::cut;
  packet.ipv6 = false;
  packet.source_lo = ip->source();
  packet.destination_lo = ip->destination();
  packet.protocol = ip->protocol();
  packet.payload = bytes.first(ip->total_length()).subspan(ip->header_size());
  if (ip->fragment()) packet.fragment = {ip->ident(), ip->fragment_offset(), ip->more_fragments()};
  return FrameKind::packet;
}

bool is_skipped(std::uint8_t protocol) {
  return protocol == dp::ip_protocol::kHopByHop || protocol == dp::ip_protocol::kRouting ||
         protocol == dp::ip_protocol::kAuthentication || protocol == dp::ip_protocol::kDestination;
}

// RFC 8200 section 4.5. Offset 0 without more to come is a whole packet (RFC 6946).
void take_fragment_header(IpPacket& packet) {
  constexpr std::size_t kSize = 8;
  const std::byte* const p = packet.payload.data();
  const std::uint16_t word = dp::load16(p + 2);
  if ((word & 0xfff9) != 0) packet.fragment = {dp::load32(p + 4), word & 0xfff8u, (word & 1) != 0};
  packet.protocol = dp::load8(p);
  packet.payload = packet.payload.subspan(kSize);
}

FrameKind read_ipv6(Bytes bytes, IpPacket& packet) {
  const auto ip = dp::Ipv6View::at(bytes);
  if (!ip) return FrameKind::malformed;
  if (dp::Ipv6View::kSize + ip->payload_length() > bytes.size()) return FrameKind::cut;
  packet.ipv6 = true;
  packet.source_hi = ip->source_hi();
  packet.source_lo = ip->source_lo();
  packet.destination_hi = ip->destination_hi();
  packet.destination_lo = ip->destination_lo();
  packet.protocol = ip->next_header();
  packet.payload = bytes.subspan(dp::Ipv6View::kSize, ip->payload_length());
  if (skip_extensions(packet)) return FrameKind::packet;
  if (packet.protocol != dp::ip_protocol::kFragment || packet.payload.size() < 8) return FrameKind::malformed;
  take_fragment_header(packet);
  return packet.fragment || skip_extensions(packet) ? FrameKind::packet : FrameKind::malformed;
}

}  // namespace

bool skip_extensions(IpPacket& packet) {
  for (unsigned n = 0; is_skipped(packet.protocol); ++n) {
    if (n == dp::Ipv6Chain::kMaxHeaders || packet.payload.size() < 8) return false;
    const std::byte* const p = packet.payload.data();
    const std::size_t length = dp::load8(p + 1);
    const bool words = packet.protocol == dp::ip_protocol::kAuthentication;  // RFC 4302 section 2.2
    const std::size_t size = words ? (length + 2) * 4 : (length + 1) * 8;
    if (size > packet.payload.size()) return false;
    packet.protocol = dp::load8(p);
    packet.payload = packet.payload.subspan(size);
  }
  return packet.protocol != dp::ip_protocol::kFragment;
}

FrameKind read_frame(Bytes frame, IpPacket& packet) {
  packet = {};
  const auto ethernet = dp::EthernetView::at(frame);
  if (!ethernet) return FrameKind::malformed;
  std::uint16_t type = ethernet->type();
  Bytes rest = frame.subspan(dp::EthernetView::kSize);
  while (dp::is_vlan(type)) {
    const auto tag = dp::VlanView::at(rest);
    if (!tag) return FrameKind::malformed;
    type = tag->type();
    rest = rest.subspan(dp::VlanView::kSize);
  }
  if (type == dp::ethertype::kIpv4) return read_ipv4(rest, packet);
  if (type == dp::ethertype::kIpv6) return read_ipv6(rest, packet);
  return FrameKind::other;
}

}  // namespace control::told
