#include "dataplane/ack/answer.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {
namespace {

constexpr std::uint32_t kIpv4Header = 20, kIpv6Header = 40, kMacBytes = 6;
constexpr std::uint32_t kStampsBytes = 12;  // two NOPs before the option, as is usual
constexpr unsigned kHopLimit = 64;

void turn_addresses(std::byte* ip, bool ipv6) noexcept {
  std::byte* const source = ip + (ipv6 ? 8 : 12);
  const std::size_t bytes = ipv6 ? 16 : 4;
  std::swap_ranges(source, source + bytes, source + bytes);
}

// RFC 3168 section 6.1.4: a pure ACK is not ECN-capable.
void write_ipv4(std::byte* ip, std::uint32_t length) noexcept {
  ip[1] &= std::byte{0xfc};
  store16(ip + 2, static_cast<std::uint16_t>(length));
  ip[8] = std::byte{kHopLimit};
  store16(ip + 10, 0);
  store16(ip + 10, internet_checksum({ip, kIpv4Header}));
}
void write_ipv6(std::byte* ip, std::uint32_t length) noexcept {
  ip[1] &= std::byte{0xcf};
  store16(ip + 4, static_cast<std::uint16_t>(length - kIpv6Header));
  ip[7] = std::byte{kHopLimit};
}

void write_tcp_header(std::byte* tcp, const Flow& flow, const TcpOption::Timestamps* stamps,
                      std::uint32_t length) noexcept {
  std::swap_ranges(tcp, tcp + 2, tcp + 2);
  store32(tcp + 4, flow.ue.space.wire(flow.ue.sent));
  store32(tcp + 8, flow.space.wire(flow.acked));
  tcp[12] = static_cast<std::byte>(length / 4 << 4);
  tcp[13] = std::byte{TcpView::kAck};
  store16(tcp + 14, flow.window);
  store32(tcp + 16, 0);
  if (stamps == nullptr) return;
  tcp[20] = tcp[21] = std::byte{TcpOption::kNop};
  tcp[22] = std::byte{TcpOption::kTimestamps};
  tcp[23] = std::byte{10};
  store32(tcp + 24, stamps->value);
  store32(tcp + 28, stamps->echo);
}

}  // namespace

bool turn_into_ack(Sdu& sdu, const Flow& flow, const TcpOption::Timestamps* stamps,
                   FrameSource& frames) noexcept {
  DP_EXPECT(sdu.l4_protocol == ip_protocol::kTcp && sdu.l4_offset > sdu.l3_offset);
  const std::uint32_t ip_header = sdu.ipv6 ? kIpv6Header : kIpv4Header;
  const std::uint32_t tcp_header = TcpView::kMinSize + (stamps == nullptr ? 0 : kStampsBytes);
  const std::uint32_t end = sdu.l4_offset + tcp_header;
  if (sdu.segments != 1 || sdu.l4_offset - sdu.l3_offset != static_cast<int>(ip_header)) return false;
  if (end > sdu.head_len || !flow.heard || !flow.ue.anchored) return false;
  std::byte* const ip = sdu.data + sdu.l3_offset;
  std::byte* const tcp = sdu.data + sdu.l4_offset;
  std::swap_ranges(sdu.data, sdu.data + kMacBytes, sdu.data + kMacBytes);
  turn_addresses(ip, sdu.ipv6);
  sdu.ipv6 ? write_ipv6(ip, ip_header + tcp_header) : write_ipv4(ip, ip_header + tcp_header);
  write_tcp_header(tcp, flow, stamps, tcp_header);
  const Bytes addresses = sdu.ipv6 ? Bytes{ip + 8, 32} : Bytes{ip + 12, 8};
  InternetSum sum = tcp_pseudo_header(addresses, tcp_header);
  store16(tcp + 16, sum.add({tcp, tcp_header}).checksum());
  sdu.ip_len = ip_header + tcp_header;
  sdu.ecn = 0;
  frames.shorten(sdu, end);
  if (sdu.outer_offset != 0) finish_tunnel(sdu, end);
  return true;
}

}  // namespace dp
