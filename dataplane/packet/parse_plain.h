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

// Parses whole, untagged, unicast TCP over IPv4 without options. True for such a frame, with the fields of
// `sdu` as parse_any() sets them; any other frame is left to parse_any().
inline bool parse_plain(Sdu& sdu) noexcept {
  constexpr std::size_t kIp = EthernetView::kSize, kTcp = kIp + Ipv4View::kMinSize;
  if (sdu.head_len < kTcp + TcpView::kMinSize) return false;
  const std::byte* const p = sdu.data;
  // EtherType, version, header length, type of service; then flags, fragment offset, time to live, protocol.
  const std::uint32_t type_to_tos = load32(p + kIp - 2), flags_to_protocol = load32(p + kIp + 6);
  const bool plain = (load8(p) & 1) == 0 && (type_to_tos & 0xffffff00) == 0x08004500 &&
                     (flags_to_protocol & 0x3fff00ff) == ip_protocol::kTcp && load8(p + kIp + 16) < 0xe0;
  if (!plain) return false;
  const std::size_t ip_len = Ipv4View{p + kIp}.total_length();
  if (kIp + ip_len > sdu.frame_len) return false;
  const std::size_t tcp_size = TcpView{p + kTcp}.header_size();
  if (tcp_size < TcpView::kMinSize || kTcp + tcp_size > kIp + ip_len || kTcp + tcp_size > sdu.head_len)
    return false;
  sdu.ip_len = static_cast<std::uint32_t>(ip_len);
  sdu.l3_offset = kIp;
  sdu.network = kNoNetwork;
  sdu.l4_offset = kTcp;
  sdu.l4_protocol = ip_protocol::kTcp;
  sdu.ecn = static_cast<std::uint8_t>(type_to_tos & 3);
  sdu.kind = FrameKind::ip;
  sdu.ipv6 = false;
  sdu.fragment = false;
  sdu.outer_offset = 0;
  sdu.flow = 0;
  return true;
}

}  // namespace dp
