// The fast path of parsing in tunnels (GTP-U, TS 29.281), for the most common of them; packet/peel.h has the
// general one.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/parse_plain.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/tcp.h"
#include "dataplane/packet/udp.h"

namespace dp {

// The settings as the fast path needs them: the first port, and pairs of IPv4 endpoints that were met. A pair
// that is not among them is looked up in the settings, and takes the slot of another.
class PlainTunnels {
 public:
  PlainTunnels() { set(nullptr); }

  // `settings`: null for none; they outlive their use.
  void set(const GtpUSettings* settings) noexcept {
    settings_ = settings;
    // An empty slot holds a pair that belongs to another slot.
    met_.fill({0, kNoNetwork});
    met_[slot_of(0)].addresses = kElsewhere;
    port_ = kNoPort;
    if (settings == nullptr || settings->ports.empty()) return;
    // A datagram to a port of BFD keeps its kind, FrameKind::routing.
    const std::uint16_t port = settings->ports.front();
    if (!is_bfd_port(port)) port_ = __builtin_bswap16(port);
  }

  // `port`: the destination port in a UDP header.
  bool is_port(const std::byte* port) const noexcept { return native<std::uint16_t>(port) == port_; }

  // Two endpoints, source first, as in an IPv4 header, and the network of their tunnels.
  struct Pair {
    std::uint64_t addresses;
    NetworkId network;
  };
  // Null unless both are peers and the destination is no group. `addresses`: of an IPv4 header.
  const Pair* find(const std::byte* addresses) noexcept {
    const auto pair = native<std::uint64_t>(addresses);
    Pair& met = met_[slot_of(pair)];
    return met.addresses == pair || meet(met, addresses) ? &met : nullptr;
  }

 private:
  static constexpr unsigned kBits = 9;
  static constexpr std::uint32_t kNoPort = ~std::uint32_t{0};
  static constexpr std::uint64_t kElsewhere = 1;

  static constexpr std::size_t slot_of(std::uint64_t pair) noexcept {
    return pair * 0x9e3779b97f4a7c15u >> (64 - kBits);
  }

  template <class Word>
  static Word native(const std::byte* p) noexcept {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

  [[gnu::noinline]] bool meet(Pair& slot, const std::byte* addresses) const noexcept {
    const std::uint32_t to = load32(addresses + 4);
    if (settings_ == nullptr || to >= 0xe0000000) return false;
    const GtpUPeer* const source = settings_->peer_ipv4(load32(addresses));
    const GtpUPeer* const destination = settings_->peer_ipv4(to);
    if (source == nullptr || destination == nullptr) return false;
    slot = {native<std::uint64_t>(addresses),
            destination->network != kNoNetwork ? destination->network : source->network};
    return true;
  }

  const GtpUSettings* settings_ = nullptr;
  std::uint32_t port_ = kNoPort;  // in network byte order
  std::array<Pair, std::size_t{1} << kBits> met_;
};

// Offsets in a frame of the fast path.
struct PlainTunnel {
  static constexpr std::size_t kIp = EthernetView::kSize, kUdp = kIp + Ipv4View::kMinSize,
                               kGtp = kUdp + UdpView::kSize, kPdu = kGtp + GtpUView::kSize,
                               kContainer = kPdu + GtpUView::kOptionalSize, kBehindContainer = kContainer + 4;
};

// True if a length field has this value. The value's bytes are swapped, and the field is compared as it
// stands.
[[gnu::always_inline]] inline bool has_length(const std::byte* field, std::size_t length) noexcept {
  std::uint16_t found;
  std::memcpy(&found, field, sizeof found);
  return found == __builtin_bswap16(static_cast<std::uint16_t>(length));
}

// Parses the packet at kOffset, which is all that its message, datagram and outer packet hold. Requires: as
// parse_plain_tcp().
template <std::size_t kOffset>
[[gnu::always_inline]] inline bool parse_tunnelled(Sdu& sdu, NetworkId network) noexcept {
  using At = PlainTunnel;
  const std::byte* const p = sdu.data + kOffset;
  const std::size_t end = kOffset + Ipv4View{p}.total_length();
  // None of these lengths exceeds its 16 bits: the outer packet, the longest, is within the frame.
  const bool all = end <= sdu.frame_len && has_length(sdu.data + At::kIp + 2, end - At::kIp) &&
                   has_length(sdu.data + At::kUdp + 4, end - At::kUdp) &&
                   has_length(sdu.data + At::kGtp + 2, end - At::kPdu);
  if (!all) return false;
  return parse_plain_tcp(sdu, {.offset = kOffset,
                               .end = end,
                               .tos = load8(p + 1),
                               .outer_offset = PlainTunnel::kIp,
                               .network = network});
}

// Parses a G-PDU in an untagged, unicast frame over IPv4 without options, with no extension header or with a
// PDU session container of four octets alone, in which the packet is as parse_plain() takes it and ends where
// the outer packet ends. True for such a frame, with the fields of `sdu` as parse_any() sets them; any other
// frame is left to parse_plain() and parse_any().
[[gnu::always_inline]] inline bool parse_tunnel(Sdu& sdu, PlainTunnels& tunnels) noexcept {
  using At = PlainTunnel;
  constexpr std::size_t kPacket = Ipv4View::kMinSize + TcpView::kMinSize;
  constexpr std::uint16_t kGpdu = 0x30ff, kExtendedGpdu = 0x34ff;  // flags and type
  constexpr std::uint8_t kIpv4 = 0x45;                             // version, header length
  if (sdu.head_len < At::kPdu + kPacket) return false;
  const std::byte* const p = sdu.data;
  // EtherType, version, header length; then flags, fragment offset, time to live, protocol.
  const bool udp = (load8(p) & 1) == 0 && (load32(p + At::kIp - 2) & 0xffffff00) == 0x08004500 &&
                   (load32(p + At::kIp + 6) & 0x3fff00ff) == ip_protocol::kUdp &&
                   tunnels.is_port(p + At::kUdp + 2);
  if (!udp) return false;
  const PlainTunnels::Pair* const pair = tunnels.find(p + At::kIp + 12);
  if (pair == nullptr) return false;
  const std::uint16_t flags_and_type = load16(p + At::kGtp);
  if (flags_and_type == kGpdu)
    return load8(p + At::kPdu) == kIpv4 && parse_tunnelled<At::kPdu>(sdu, pair->network);
  // The type of the extension header and its length; then the type of the next, 0, and the packet.
  const bool container = flags_and_type == kExtendedGpdu &&
                         load16(p + At::kContainer - 1) == (GtpUChain::kPduSessionContainer << 8 | 1) &&
                         load16(p + At::kBehindContainer - 1) == kIpv4;
  if (!container || sdu.head_len < At::kBehindContainer + kPacket) return false;
  return parse_tunnelled<At::kBehindContainer>(sdu, pair->network);
}

}  // namespace dp
