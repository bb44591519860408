// The fast path of parsing, for the most common frames; packet/parse.h has the general one.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// The IP packet in which the fast paths look for TCP.
struct PlainPacket {
  std::size_t offset;         // from sdu.data
  std::size_t end;            // of what may hold it: the frame, or the message of its tunnel
  std::uint8_t tos;           // its type of service
  std::uint8_t outer_offset;  // as in Sdu
  NetworkId network;          // as in Sdu
};

// True for whole, unicast TCP, with the fields of `sdu` as parse_any() sets them. Requires: at least 40 bytes
// from the offset are readable, the end is within the frame, the packet begins as IPv4 without options.
[[gnu::always_inline]] inline bool parse_plain_tcp(Sdu& sdu, const PlainPacket& packet) noexcept {
  const std::size_t tcp = packet.offset + Ipv4View::kMinSize;
  const std::byte* const p = sdu.data + packet.offset;
  // Flags, fragment offset, time to live, protocol.
  if ((load32(p + 6) & 0x3fff00ff) != ip_protocol::kTcp || load8(p + 16) >= 0xe0) return false;
  const std::size_t ip_len = Ipv4View{p}.total_length();
  if (packet.offset + ip_len > packet.end) return false;
  const std::size_t tcp_size = TcpView{p + Ipv4View::kMinSize}.header_size();
  if (tcp_size < TcpView::kMinSize || tcp + tcp_size > packet.offset + ip_len ||
      tcp + tcp_size > sdu.head_len)
    return false;
  sdu.ip_len = static_cast<std::uint32_t>(ip_len);
  sdu.l3_offset = static_cast<std::uint8_t>(packet.offset);
  sdu.network = packet.network;
  sdu.l4_offset = static_cast<std::uint16_t>(tcp);
  sdu.l4_protocol = ip_protocol::kTcp;
  sdu.ecn = packet.tos & 3;
  sdu.kind = FrameKind::ip;
  sdu.ipv6 = false;
  sdu.fragment = false;
  sdu.outer_offset = packet.outer_offset;
  sdu.flow = 0;
  return true;
}

// Parses whole, untagged, unicast TCP over IPv4 without options. True for such a frame, with the fields of
// `sdu` as parse_any() sets them; any other frame is left to parse_any().
inline bool parse_plain(Sdu& sdu) noexcept {
  constexpr std::size_t kIp = EthernetView::kSize;
  if (sdu.head_len < kIp + Ipv4View::kMinSize + TcpView::kMinSize) return false;
  const std::byte* const p = sdu.data;
  // EtherType, version, header length, type of service.
  const std::uint32_t type_to_tos = load32(p + kIp - 2);
  if ((load8(p) & 1) != 0 || (type_to_tos & 0xffffff00) != 0x08004500) return false;
  return parse_plain_tcp(sdu, {kIp, sdu.frame_len, static_cast<std::uint8_t>(type_to_tos), 0, kNoNetwork});
}

}  // namespace dp
