#include "dataplane/packet/outer_header.h"

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/peel.h"
#include "dataplane/packet/tunnel_key.h"
#include "dataplane/packet/udp.h"

namespace dp {
namespace {

constexpr std::size_t kContainerSize = 4;
constexpr std::uint8_t kEcnIpv4 = 0x03, kEcnIpv6 = 0x30;

bool outer_ipv6(const Sdu& sdu) noexcept { return load8(sdu.data + sdu.outer_offset) >> 4 == 6; }

std::size_t udp_of(const Sdu& sdu) noexcept {
  DP_EXPECT(sdu.outer_offset != 0 && sdu.l3_offset <= sdu.head_len);
  return udp_behind(sdu.head(), sdu.outer_offset);
}

std::uint16_t udp_checksum(const Sdu& sdu, std::size_t udp, std::size_t end) noexcept {
  const std::byte* const ip = sdu.data + sdu.outer_offset;
  const Bytes addresses = outer_ipv6(sdu) ? Bytes{ip + 8, 32} : Bytes{ip + 12, 8};
  InternetSum sum;
  sum.add(addresses).add16(ip_protocol::kUdp).add16(static_cast<std::uint16_t>(end - udp));
  const std::uint16_t value = sum.add({sdu.data + udp, end - udp}).checksum();
  return value == 0 ? 0xffff : value;  // RFC 768: zero means "none"
}

}  // namespace

std::size_t end_of_tunnel(const Sdu& sdu) noexcept {
  const std::size_t gtp = udp_of(sdu) + UdpView::kSize;
  return gtp + GtpUView::kSize + GtpUView{sdu.data + gtp}.length();
}

void update_tunnel_checksum(Sdu& sdu, std::uint16_t before, std::uint16_t after) noexcept {
  std::byte* const checksum = sdu.data + udp_of(sdu) + 6;
  if (load16(checksum) == 0) return;
  const std::uint16_t value = checksum_update16(load16(checksum), before, after);
  store16(checksum, value == 0 ? 0xffff : value);
}

void finish_tunnel(Sdu& sdu, std::size_t end) noexcept {
  const std::size_t udp = udp_of(sdu), gtp = udp + UdpView::kSize;
  DP_EXPECT(end >= sdu.l3_offset && end <= sdu.frame_len);
  std::byte* const ip = sdu.data + sdu.outer_offset;
  const auto length_behind = [&](std::size_t from) { return static_cast<std::uint16_t>(end - from); };
  if (outer_ipv6(sdu)) {
    store16(ip + 4, length_behind(sdu.outer_offset + Ipv6View::kSize));
  } else {
    store16(ip + 2, length_behind(sdu.outer_offset));
    store16(ip + 10, 0);
    store16(ip + 10, internet_checksum({ip, Ipv4View{ip}.header_size()}));
  }
  store16(sdu.data + udp + 4, length_behind(udp));
  store16(sdu.data + gtp + 2, length_behind(gtp + GtpUView::kSize));
  if (load16(sdu.data + udp + 6) == 0) return;
  store16(sdu.data + udp + 6, 0);
  if (sdu.segments == 1) store16(sdu.data + udp + 6, udp_checksum(sdu, udp, end));
}

bool OuterHeader::is_of_other_network(NetworkId own, const Context& context) const noexcept {
  if (size == 0) return false;
  const Bytes header{bytes.data(), size};
  const NetworkId of_vlan = network_of(header, context.networks);
  if (outer_offset == 0) return of_vlan != own;
  if (context.gtp_u == nullptr) return true;
  const auto of_peers = network_of_peers(header, outer_offset, *context.gtp_u);
  return !of_peers || (of_vlan != kNoNetwork ? of_vlan : *of_peers) != own;
}

bool OuterHeader::point_to(const TunnelKey& tunnel, std::uint8_t qfi) noexcept {
  if (size == 0 || outer_offset == 0) return false;
  std::byte* const ip = bytes.data() + outer_offset;
  if ((load8(ip) >> 4 == 6) != tunnel.ipv6) return false;
  std::byte* const gtp = bytes.data() + udp_behind({bytes.data(), size}, outer_offset) + UdpView::kSize;
  const bool has_qfi = qfi != GtpUChain::kNoQfi;
  if (has_qfi && (load8(gtp) & GtpUView::kExtension) == 0) return false;
  if (tunnel.ipv6) {
    store64(ip + 24, tunnel.hi);
    store64(ip + 32, tunnel.lo);
  } else {
    store32(ip + 16, static_cast<std::uint32_t>(tunnel.lo));
  }
  store32(gtp + 4, tunnel.teid);
  if (has_qfi) gtp[GtpUView::kSize + GtpUView::kOptionalSize + 2] = static_cast<std::byte>(qfi);
  return true;
}

bool OuterHeader::copy_tunnel(const Sdu& sdu) noexcept {
  const std::size_t gtp = udp_of(sdu) + UdpView::kSize;
  const auto chain = GtpUChain::at(sdu.head().subspan(gtp, sdu.l3_offset - gtp));
  DP_EXPECT(chain.has_value());
  const bool session = chain->container != 0;
  const std::size_t whole =
      gtp + GtpUView::kSize + (session ? GtpUView::kOptionalSize + kContainerSize : std::size_t{0});
  if (whole > kMost) return false;
  std::memcpy(bytes.data(), sdu.data, gtp + GtpUView::kSize);
  size = static_cast<std::uint8_t>(whole);
  outer_offset = sdu.outer_offset;
  bytes[outer_offset + 1] &= static_cast<std::byte>(~(outer_ipv6(sdu) ? kEcnIpv6 : kEcnIpv4));
  std::byte* const header = bytes.data() + gtp;
  header[0] &= ~std::byte{7};
  if (!session) return true;
  header[0] |= std::byte{GtpUView::kExtension};
  std::byte* const after = header + GtpUView::kSize;
  store32(after, GtpUChain::kPduSessionContainer);
  after[4] = std::byte{1};
  after[5] = sdu.data[gtp + chain->container + 1] & std::byte{0xf0};  // the PDU type alone
  after[6] = static_cast<std::byte>(chain->qfi);
  after[7] = std::byte{0};
  return true;
}

void OuterHeader::write_tunnel(Sdu& sdu, FrameSource& frames) const noexcept {
  const std::size_t shorter = std::size_t{sdu.l3_offset} - size, end = end_of_tunnel(sdu) - shorter;
  frames.cut_front(sdu, static_cast<std::uint32_t>(shorter));
  std::memcpy(sdu.data, bytes.data(), size);
  sdu.outer_offset = outer_offset;
  finish_tunnel(sdu, end);
}

}  // namespace dp
