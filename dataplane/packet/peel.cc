#include "dataplane/packet/peel.h"

#include <algorithm>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/udp.h"

namespace dp {
namespace {

struct Endpoints {
  const GtpUPeer* source;
  const GtpUPeer* destination;
  bool both() const noexcept { return source != nullptr && destination != nullptr; }
  NetworkId network() const noexcept {
    return destination->network != kNoNetwork ? destination->network : source->network;
  }
};

Endpoints endpoints_of(const std::byte* l3, const GtpUSettings& settings) noexcept {
  if (load8(l3) >> 4 == 4) {
    const Ipv4View ip{l3};
    return {settings.peer_ipv4(ip.source()), settings.peer_ipv4(ip.destination())};
  }
  const Ipv6View ip{l3};
  return {settings.peer_ipv6(ip.source_hi(), ip.source_lo()),
          settings.peer_ipv6(ip.destination_hi(), ip.destination_lo())};
}

// The bytes of the message, up to the end that its header names; `readable` of them can be read.
struct Message {
  std::size_t begin;
  std::size_t end;
  Bytes readable;
};

// None if a length exceeds what is around it.
std::optional<Message> message_of(const OuterPacket& outer) noexcept {
  const std::size_t begin = outer.l4_offset + UdpView::kSize;
  const std::size_t datagram = outer.l4_offset + UdpView{outer.head.data() + outer.l4_offset}.length();
  if (datagram > outer.end || begin + GtpUView::kSize > std::min(datagram, outer.head.size()))
    return std::nullopt;
  const GtpUView gtp{outer.head.data() + begin};
  const std::size_t end = begin + GtpUView::kSize + gtp.length();
  if (end > datagram) return std::nullopt;
  return Message{begin, end, outer.head.subspan(begin, std::min(end, outer.head.size()) - begin)};
}

GtpUVerdict verdict_of_tpdu(Bytes tpdu) noexcept {
  if (tpdu.empty()) return GtpUVerdict::inner;
  const unsigned version = load8(tpdu.data()) >> 4;
  return version == 4 || version == 6 ? GtpUVerdict::peeled : GtpUVerdict::not_ip;
}

}  // namespace

std::optional<NetworkId> network_of_peers(Bytes head, std::size_t l3, const GtpUSettings& settings) noexcept {
  DP_EXPECT(l3 < head.size());
  const Endpoints ends = endpoints_of(head.data() + l3, settings);
  return ends.both() ? std::optional(ends.network()) : std::nullopt;
}

std::optional<QuotedTunnel> peel_quoted(Bytes quoted, const GtpUSettings& settings) noexcept {
  std::size_t udp = 0;
  if (const auto v4 = Ipv4View::at(quoted);
      v4 && v4->protocol() == ip_protocol::kUdp && v4->fragment_offset() == 0) {
    udp = v4->header_size();
  } else if (const auto v6 = Ipv6View::at(quoted); v6 && v6->next_header() == ip_protocol::kUdp) {
    udp = Ipv6View::kSize;
  }
  const std::size_t gtp = udp + UdpView::kSize;
  if (udp == 0 || quoted.size() < gtp + GtpUView::kSize) return std::nullopt;
  const Endpoints ends = endpoints_of(quoted.data(), settings);
  if (!ends.both() || !settings.has_port(UdpView{quoted.data() + udp}.destination_port()))
    return std::nullopt;
  const GtpUView header{quoted.data() + gtp};
  if (header.version() != GtpUView::kVersion1 || !header.gtp() || header.type() != gtp_u_message::kGpdu)
    return std::nullopt;
  const auto chain = GtpUChain::at(quoted.subspan(gtp));
  if (!chain) return std::nullopt;
  return QuotedTunnel{ends.network(), gtp + chain->size};
}

Peeled peel(const OuterPacket& outer, const GtpUSettings& settings) noexcept {
  DP_EXPECT_HOT(outer.l3_offset < outer.head.size());
  const Endpoints ends = endpoints_of(outer.head.data() + outer.l3_offset, settings);
  if (!ends.both()) return {};
  const bool readable = outer.l4_offset != 0;
  if (outer.fragment && !readable) return {GtpUVerdict::fragment};
  if (!readable || !settings.has_port(UdpView{outer.head.data() + outer.l4_offset}.destination_port()))
    return {};
  if (outer.fragment) return {GtpUVerdict::fragment};
  const std::size_t begin = outer.l4_offset + UdpView::kSize;
  if (begin < outer.head.size() && load8(outer.head.data() + begin) >> 4 != (GtpUView::kVersion1 << 1 | 1))
    return {GtpUVerdict::version};
  const auto message = message_of(outer);
  if (!message) return {GtpUVerdict::length};
  const GtpUView gtp{message->readable.data()};
  if (gtp.type() != gtp_u_message::kGpdu) return {GtpUVerdict::message};
  const auto chain = GtpUChain::at(message->readable);
  const std::size_t inner = message->begin + (chain ? chain->size : 0);
  if (!chain || inner > kMostOuter) return {GtpUVerdict::chain};
  if (gtp.has_sequence() && settings.sequence == GtpUSequence::observe) return {GtpUVerdict::sequence};
  return {verdict_of_tpdu(message->readable.subspan(chain->size)), ends.network(), inner, message->end};
}

}  // namespace dp
