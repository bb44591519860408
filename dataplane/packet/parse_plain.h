// The short way through parsing for what most frames are; packet/parse.h has the whole.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// TCP over IPv4 without options, whole, untagged, to one station. True when the frame is one; then `sdu` says
// what parse_any() would. Any doubt is left to that.
inline bool parse_plain(Sdu& sdu) noexcept {
  constexpr std::size_t kIp = EthernetView::kSize, kTcp = kIp + Ipv4View::kMinSize;
  if (sdu.head_len < kTcp + TcpView::kMinSize) return false;
  const std::byte* const p = sdu.data;
  const std::uint32_t type_to_tos =
      load32(p + kIp - 2);  // EtherType, version, header length, type of service
  const Ipv4View ip{p + kIp};
  const TcpView tcp{p + kTcp};
  const std::size_t ip_len = ip.total_length();
  const std::size_t tcp_size = tcp.header_size();
  const std::size_t at_hand = std::min<std::size_t>(kIp + ip_len, sdu.head_len);
  const bool plain = (load8(p) & 1) == 0 && type_to_tos >> 8 == 0x080045 && !ip.fragment() &&
                     ip.protocol() == ip_protocol::kTcp && load8(p + kIp + 16) < 0xe0 &&
                     kIp + ip_len <= sdu.frame_len && tcp_size >= TcpView::kMinSize &&
                     kTcp + tcp_size <= at_hand;
  if (!plain) return false;
  sdu.ip_len = static_cast<std::uint32_t>(ip_len);
  sdu.l3_offset = kIp;
  sdu.l4_offset = kTcp;
  sdu.l4_protocol = ip_protocol::kTcp;
  sdu.ecn = static_cast<std::uint8_t>(type_to_tos & 3);
  sdu.kind = FrameKind::ip;
  sdu.ipv6 = false;
  sdu.fragment = false;
  sdu.flow = 0;
  return true;
}

}  // namespace dp
