// Frames in GTP-U tunnels for tests: a TunnelSpec names the outer headers, tunnelled() puts the packet of a
// frame behind them, with right lengths and checksums.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/packet/checksum.h"
#include "tests/support/frames.h"

namespace dp::test {

// An extension header: its type, and its content without the length before it and the type behind it, 2
// octets or 4 more each time.
struct GtpUExtension {
  std::uint8_t type;
  Buffer content;
};

struct TunnelSpec {
  std::vector<VlanTag> vlans{};
  Ip src = "192.0.2.1";
  Ip dst = "192.0.2.2";
  std::uint8_t tos = 0;
  std::uint16_t sport = 2152, dport = 2152;
  bool checksum = true;  // UDP checksum; otherwise 0
  std::uint8_t version_and_type = 0x30;
  std::uint8_t message = 255;
  std::uint32_t teid = 0x11223344;
  std::optional<std::uint16_t> sequence{};
  std::optional<std::uint8_t> qfi{};  // in a PDU session container, the first extension header
  std::uint8_t pdu_type = 0;          // 0: downlink, 1: uplink
  std::vector<GtpUExtension> extensions{};
  std::size_t behind = 0;  // octets of the message behind the packet
};

inline Buffer gtp_u_header(const TunnelSpec& spec, std::size_t payload) {
  using namespace detail;
  std::vector<GtpUExtension> chain = spec.extensions;
  if (spec.qfi) chain.insert(chain.begin(), {0x85, bytes({unsigned(spec.pdu_type) << 4, *spec.qfi})});
  const bool optional = spec.sequence || !chain.empty();
  Buffer after;
  if (optional) {
    put16(after, spec.sequence.value_or(0));
    put8(after, 0);
    put8(after, chain.empty() ? 0 : chain.front().type);
  }
  for (std::size_t i = 0; i < chain.size(); ++i) {
    put8(after, static_cast<unsigned>(chain[i].content.size() + 2) / 4);
    put(after, chain[i].content);
    put8(after, i + 1 < chain.size() ? chain[i + 1].type : 0);
  }
  Buffer out;
  put8(out, spec.version_and_type | (chain.empty() ? 0u : 4u) | (spec.sequence ? 2u : 0u));
  put8(out, spec.message);
  put16(out, after.size() + payload);
  put32(out, spec.teid);
  put(out, after);
  return out;
}

// `packet`: from its IP header on, or what the message carries otherwise.
inline Buffer tunnelled_packet(const TunnelSpec& spec, Bytes packet) {
  using namespace detail;
  if (spec.src.ipv6 != spec.dst.ipv6) fail("src and dst are of different families");
  Buffer message = gtp_u_header(spec, packet.size() + spec.behind);
  store(grow(message, packet.size() + spec.behind), packet);
  Buffer udp(8 + message.size());
  store16(udp.data(), spec.sport);
  store16(udp.data() + 2, spec.dport);
  store16(udp.data() + 4, static_cast<std::uint16_t>(udp.size()));
  store(udp.data() + 8, message);
  if (spec.checksum) {
    InternetSum sum;
    sum.add(spec.src.bytes()).add(spec.dst.bytes()).add16(17).add32(static_cast<std::uint32_t>(udp.size()));
    const std::uint16_t value = sum.add(udp).checksum();
    store16(udp.data() + 6, value == 0 ? 0xffff : value);
  }
  FrameSpec outer{.vlans = spec.vlans, .src = spec.src, .dst = spec.dst, .tos = spec.tos, .protocol = 17};
  Buffer out;
  out.reserve(14 + 4 * spec.vlans.size() + 40 + udp.size());
  put_link(out, outer, spec.src.ipv6 ? 0x86dd : 0x0800);
  spec.src.ipv6 ? put_ipv6(out, outer, spec.src, spec.dst, udp)
                : put_ipv4(out, outer, spec.src, spec.dst, udp);
  return out;
}

// The packet of the frame, whose link header is exchanged for the tunnel's headers.
inline Buffer tunnelled(const TunnelSpec& spec, const FrameSpec& user) {
  const Buffer inner = frame(user);
  return tunnelled_packet(spec, Bytes(inner).subspan(14 + 4 * user.vlans.size()));
}

// Endpoints as in TunnelSpec, over both IPs.
inline GtpUSettings tunnels_of_tests() {
  return {.peers = {{.prefix = *parse_prefix("192.0.2.0/24")}, {.prefix = *parse_prefix("2001:db8:1::/48")}}};
}

}  // namespace dp::test
