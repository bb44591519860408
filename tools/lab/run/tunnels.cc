#include "tools/lab/run/tunnels.h"

#include <cstring>

#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/packet/tunnel_key.h"
#include "tools/lab/run/packet.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

constexpr std::size_t kContainer = 4;
constexpr std::size_t kMostHeaders =
    dp::Ipv6View::kSize + dp::UdpView::kSize + dp::GtpUView::kSize + dp::GtpUView::kOptionalSize + kContainer;
static_assert(kLinkHeader + kMostHeaders + kMaxPacket <= FramePool::kFrameBytes);

// The fields that have a length or a checksum are finish_tunnel()'s.
std::size_t write_ip(std::byte* at, const dp::IpAddress& source, const dp::IpAddress& destination) noexcept {
  constexpr std::uint8_t kHops = 64;
  if (source.ipv6) {
    dp::store32(at, 0x6000'0000);
    dp::store32(at + 4, std::uint32_t{dp::ip_protocol::kUdp} << 8 | kHops);
    dp::store64(at + 8, source.hi);
    dp::store64(at + 16, source.lo);
    dp::store64(at + 24, destination.hi);
    dp::store64(at + 32, destination.lo);
    return dp::Ipv6View::kSize;
  }
  dp::store32(at, 0x4500'0000);
  dp::store32(at + 4, 0x4000);  // "don't fragment"
  dp::store32(at + 8, std::uint32_t{kHops} << 24 | std::uint32_t{dp::ip_protocol::kUdp} << 16);
  dp::store32(at + 12, static_cast<std::uint32_t>(source.lo));
  dp::store32(at + 16, static_cast<std::uint32_t>(destination.lo));
  return dp::Ipv4View::kMinSize;
}

bool equal(const dp::IpAddress& a, const dp::TunnelKey& b) noexcept {
  return a.ipv6 == b.ipv6 && a.hi == b.hi && a.lo == b.lo;
}

}  // namespace

Tunnels::Tunnels(const TunnelSettings& settings, std::size_t bearers)
    : made_(settings), gtp_u_(gtp_u_of(settings)) {
  for (const dp::Direction direction : dp::kDirections) {
    for (std::size_t i = 0; i < bearers; ++i) present_[dp::index(direction)].push_back(add(i, direction, 0));
  }
}

std::size_t Tunnels::add(std::size_t bearer, dp::Direction direction, std::uint32_t station) {
  tunnels_.push_back({bearer, direction, station});
  return tunnels_.size() - 1;
}

Tunnels::Ends Tunnels::ends_of(const Tunnel& tunnel) const noexcept {
  const dp::IpAddress radio = station(made_, tunnel.station);
  return tunnel.direction == dp::Direction::downlink ? Ends{made_.core, radio} : Ends{radio, made_.core};
}

std::size_t Tunnels::write_headers(std::byte* at, std::size_t tunnel, std::uint8_t message) const noexcept {
  const Tunnel& of = tunnels_[tunnel];
  const Ends ends = ends_of(of);
  std::byte* const udp = at + write_ip(at, ends.source, ends.destination);
  dp::store16(udp, dp::GtpUSettings::kPort);
  dp::store16(udp + 2, dp::GtpUSettings::kPort);
  dp::store16(udp + 6, made_.checksum ? 1 : 0);
  std::byte* const gtp = udp + dp::UdpView::kSize;
  const bool container = made_.qfi.has_value() && message == dp::gtp_u_message::kGpdu;
  dp::store16(
      gtp, static_cast<std::uint16_t>((0x30u | (container ? dp::GtpUView::kExtension : 0u)) << 8 | message));
  dp::store32(gtp + 4, static_cast<std::uint32_t>(tunnel + 1));
  std::byte* end = gtp + dp::GtpUView::kSize;
  if (container) {
    const unsigned type = of.direction == dp::Direction::downlink ? 0 : 0x10;  // TS 38.415 clause 5.5.3.1
    dp::store32(end, dp::GtpUChain::kPduSessionContainer);
    dp::store32(end + 4, 0x0100'0000 | type << 16 | unsigned{*made_.qfi} << 8);
    end += dp::GtpUView::kOptionalSize + kContainer;
  }
  return static_cast<std::size_t>(end - at);
}

// The frame has `headers` bytes between its link header and its packet.
void Tunnels::finish(dp::Sdu& sdu, std::size_t headers) const noexcept {
  dp::store16(sdu.data + kLinkHeader - 2, made_.core.ipv6 ? dp::ethertype::kIpv6 : dp::ethertype::kIpv4);
  sdu.outer_offset = kLinkHeader;
  sdu.l3_offset = static_cast<std::uint8_t>(kLinkHeader + headers);
  dp::finish_tunnel(sdu, sdu.frame_len);
}

void Tunnels::wrap(dp::Sdu& sdu, std::size_t bearer, dp::Direction direction) noexcept {
  DP_EXPECT(bearer < present_[dp::index(direction)].size() && sdu.frame_len >= kLinkHeader);
  std::byte headers[kMostHeaders];
  const std::size_t size =
      write_headers(headers, present_[dp::index(direction)][bearer], dp::gtp_u_message::kGpdu);
  DP_EXPECT(sdu.frame_len + size <= FramePool::kFrameBytes);
  std::byte* const at = sdu.data + kLinkHeader;
  std::memmove(at + size, at, sdu.frame_len - kLinkHeader);
  std::memcpy(at, headers, size);
  sdu.frame_len = sdu.head_len = static_cast<std::uint32_t>(sdu.frame_len + size);
  finish(sdu, size);
}

void Tunnels::hand_over(std::size_t bearer, dp::Sdu& marker) {
  std::size_t& present = present_[dp::index(dp::Direction::downlink)][bearer];
  finish_frame(marker, 0, made_.core.ipv6);
  const std::size_t size = write_headers(marker.data + kLinkHeader, present, dp::gtp_u_message::kEndMarker);
  marker.frame_len = marker.head_len = static_cast<std::uint32_t>(kLinkHeader + size);
  finish(marker, size);
  present = add(bearer, dp::Direction::downlink, tunnels_[present].station + 1);
}

Tunnels::Outcome Tunnels::unwrap(dp::Sdu& sdu, dp::Direction direction) noexcept {
  const dp::GtpUVerdict verdict = dp::parse_any(sdu, &gtp_u_);
  const bool packet = verdict == dp::GtpUVerdict::peeled;
  if (!packet && verdict != dp::GtpUVerdict::message) return {};
  const std::size_t l3 = packet ? sdu.outer_offset : sdu.l3_offset;
  Tunnel* const tunnel = find(sdu, l3, direction);
  if (tunnel == nullptr || tunnel->ended || !right(sdu, l3)) return {};
  if (!packet) {
    const std::size_t gtp = dp::udp_behind(sdu.head(), l3) + dp::UdpView::kSize;
    if (dp::GtpUView{sdu.data + gtp}.type() != dp::gtp_u_message::kEndMarker) return {};
    tunnel->ended = true;
    return {Outcome::Kind::end_marker, tunnel->bearer, tunnel->late};
  }
  if (tunnel != &tunnels_[present_[dp::index(direction)][tunnel->bearer]]) ++tunnel->late;
  const std::uint32_t bytes = sdu.ip_len;
  std::memmove(sdu.data + kLinkHeader, sdu.data + sdu.l3_offset, bytes);
  finish_frame(sdu, bytes, sdu.ipv6);
  return {Outcome::Kind::packet, tunnel->bearer};
}

// By its receiving end. Requires: the frame is a GTP-U message with its outer IP header at `l3`.
Tunnels::Tunnel* Tunnels::find(const dp::Sdu& sdu, std::size_t l3, dp::Direction direction) noexcept {
  const dp::TunnelKey key = dp::tunnel_key(sdu.head(), l3);
  if (key.teid == 0 || key.teid > tunnels_.size()) return nullptr;
  Tunnel& tunnel = tunnels_[key.teid - 1];
  return tunnel.direction == direction && equal(ends_of(tunnel).destination, key) ? &tunnel : nullptr;
}

// True if all lengths and checksums of the tunnel's headers are as its sender has written them, and the
// container is there.
bool Tunnels::right(const dp::Sdu& sdu, std::size_t l3) const noexcept {
  const std::byte* const ip = sdu.data + l3;
  const std::size_t udp = dp::udp_behind(sdu.head(), l3), gtp = udp + dp::UdpView::kSize;
  const std::size_t end = sdu.frame_len;
  const std::size_t ip_end =
      made_.core.ipv6 ? udp + dp::Ipv6View{ip}.payload_length() : l3 + dp::Ipv4View{ip}.total_length();
  const dp::UdpView datagram{sdu.data + udp};
  const dp::GtpUView header{sdu.data + gtp};
  if (ip_end != end || udp + datagram.length() != end || gtp + dp::GtpUView::kSize + header.length() != end)
    return false;
  if (!made_.core.ipv6 && dp::internet_checksum({ip, udp - l3}) != 0) return false;
  const auto chain = dp::GtpUChain::at(sdu.head().subspan(gtp));
  const bool packet = header.type() == dp::gtp_u_message::kGpdu;
  const std::uint8_t qfi = packet ? made_.qfi.value_or(dp::GtpUChain::kNoQfi) : dp::GtpUChain::kNoQfi;
  if (!chain || chain->qfi != qfi) return false;
  if (!made_.checksum) return datagram.checksum() == 0;
  dp::InternetSum sum;
  sum.add(made_.core.ipv6 ? dp::Bytes{ip + 8, 32} : dp::Bytes{ip + 12, 8});
  sum.add16(dp::ip_protocol::kUdp).add16(datagram.length());
  return sum.add(sdu.head().subspan(udp)).folded() == 0xffff;
}

}  // namespace lab
