// The ICMP messages by which a router reports that a packet is too big for its next link (RFC 1191 section 4,
// RFC 4443 section 3.2). Views of the frame; they own nothing.
// Tests: tests/system/test_frames.py
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/icmp.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/sdu.h"

namespace dp {

struct TooBig {
  IpAddress ue;       // destination of the quoted packet, in the message's network
  std::uint32_t mtu;  // bytes
  Bytes quoted;       // its quoted part, from its IP header on
};

inline bool is_icmp(const Sdu& sdu) noexcept {
  return sdu.l4_protocol == (sdu.ipv6 ? ip_protocol::kIcmpv6 : ip_protocol::kIcmp);
}

// None for other frames, and for messages without an MTU.
inline std::optional<TooBig> packet_too_big(const Sdu& sdu) noexcept {
  constexpr std::uint8_t kUnreachable = 3, kFragmentationNeeded = 4, kPacketTooBig = 2;
  if (!is_icmp(sdu) || sdu.l4_offset == 0 || sdu.l4_offset > sdu.head_len) return std::nullopt;
  const Bytes message = sdu.head().subspan(sdu.l4_offset);
  const auto icmp = IcmpView::at(message);
  if (!icmp) return std::nullopt;
  const Bytes quoted = message.subspan(IcmpView::kSize);
  if (!sdu.ipv6) {
    const auto ip = Ipv4View::at(quoted);
    if (icmp->type() != kUnreachable || icmp->code() != kFragmentationNeeded || !ip) return std::nullopt;
    const std::uint32_t mtu = load16(message.data() + 6);
    if (mtu == 0) return std::nullopt;  // sent by a router older than RFC 1191
    const IpAddress ue{.ipv6 = false, .hi = 0, .lo = ip->destination(), .network = sdu.network};
    return TooBig{ue, mtu, quoted};
  }
  if (icmp->type() != kPacketTooBig || !Ipv6View::at(quoted)) return std::nullopt;
  const auto word = [&](std::size_t at) {
    return std::uint64_t{load32(quoted.data() + at)} << 32 | load32(quoted.data() + at + 4);
  };
  const IpAddress ue{.ipv6 = true, .hi = word(24), .lo = word(32), .network = sdu.network};
  return TooBig{ue, load32(message.data() + 4), quoted};
}

}  // namespace dp
