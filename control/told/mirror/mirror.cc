#include "control/told/mirror/mirror.h"

#include "dataplane/packet/ipv4.h"

namespace control::told {

std::optional<Datagram> Mirror::take(dp::Bytes frame, dp::Time at) {
  IpPacket packet;
  switch (read_frame(frame, packet)) {
    case FrameKind::packet:
      break;
    case FrameKind::other:
      ++counters_.others;
      return std::nullopt;
    case FrameKind::malformed:
      ++counters_.malformed;
      return std::nullopt;
    case FrameKind::cut:
      ++counters_.cut;
      return std::nullopt;
  }
  // Before the first fragment of an IPv6 packet the protocol may be that of a header.
  if (!packet.ipv6 && packet.protocol != dp::ip_protocol::kUdp) {
    ++counters_.others;
    return std::nullopt;
  }
  if (packet.fragment && !reassemble(packet, at)) return std::nullopt;
  return read_udp(packet, at);
}

// A first fragment with other ports spares the memory of the rest: GTP-U may be fragmented beside.
bool Mirror::reassemble(IpPacket& packet, dp::Time at) {
  const auto udp = dp::UdpView::at(packet.payload);
  const bool first = packet.fragment->offset == 0 && packet.protocol == dp::ip_protocol::kUdp;
  if (first && udp && !is_of_port(*udp)) {
    ++counters_.others;
    fragments_.ignore(packet, at);
    return false;
  }
  if (!fragments_.take(packet, at)) return false;
  const bool good = !packet.ipv6 || skip_extensions(packet);
  counters_.malformed += good ? 0 : 1;
  return good;
}

std::optional<Datagram> Mirror::read_udp(const IpPacket& packet, dp::Time at) {
  if (packet.protocol != dp::ip_protocol::kUdp) {
    ++counters_.others;
    return std::nullopt;
  }
  const auto udp = dp::UdpView::at(packet.payload);
  if (!udp || udp->length() > packet.payload.size()) {
    ++counters_.malformed;
    return std::nullopt;
  }
  if (!is_of_port(*udp)) {
    ++counters_.others;
    return std::nullopt;
  }
  ++counters_.datagrams;
  return Datagram{at,
                  {packet.source_hi, packet.source_lo, udp->source_port(), packet.ipv6},
                  {packet.destination_hi, packet.destination_lo, udp->destination_port(), packet.ipv6},
                  packet.payload.first(udp->length()).subspan(dp::UdpView::kSize)};
}

}  // namespace control::told
