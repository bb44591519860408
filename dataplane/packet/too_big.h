// The ICMP messages by which a router reports that a packet is too big for its next link (RFC 1191 section 4,
// RFC 4443 section 3.2). Views of the frame; they own nothing.
// Tests: tests/system/test_frames.py, tests/unit/worker/tunnel_split_test.cc
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/icmp.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/peel.h"
#include "dataplane/packet/sdu.h"

namespace dp {

struct TooBig {
  IpAddress ue;       // destination of the quoted user's packet, in the message's network or its tunnel's
  std::uint32_t mtu;  // of the user's packet, bytes
  Bytes quoted;       // its quoted part, from its IP header on
};

inline bool is_icmp(const Sdu& sdu) noexcept {
  return sdu.l4_protocol == (sdu.ipv6 ? ip_protocol::kIcmpv6 : ip_protocol::kIcmp);
}

// The destination of the packet whose first bytes are given. None if it is no IP packet.
inline std::optional<IpAddress> quoted_destination(Bytes quoted, NetworkId network) noexcept {
  if (const auto ip = Ipv4View::at(quoted))
    return IpAddress{.ipv6 = false, .hi = 0, .lo = ip->destination(), .network = network};
  if (const auto ip = Ipv6View::at(quoted))
    return IpAddress{
        .ipv6 = true, .hi = ip->destination_hi(), .lo = ip->destination_lo(), .network = network};
  return std::nullopt;
}

// The message as one about the packet that it quotes. None for other frames, and for messages without an MTU.
inline std::optional<TooBig> quoted_too_big(const Sdu& sdu) noexcept {
  constexpr std::uint8_t kUnreachable = 3, kFragmentationNeeded = 4, kPacketTooBig = 2;
  if (!is_icmp(sdu) || sdu.l4_offset == 0 || sdu.l4_offset > sdu.head_len) return std::nullopt;
  const Bytes message = sdu.head().subspan(sdu.l4_offset);
  const auto icmp = IcmpView::at(message);
  if (!icmp) return std::nullopt;
  const Bytes quoted = message.subspan(IcmpView::kSize);
  const bool reports = sdu.ipv6 ? icmp->type() == kPacketTooBig
                                : icmp->type() == kUnreachable && icmp->code() == kFragmentationNeeded;
  const auto to = reports ? quoted_destination(quoted, sdu.network) : std::nullopt;
  if (!to || to->ipv6 != sdu.ipv6) return std::nullopt;
  const std::uint32_t mtu = sdu.ipv6 ? load32(message.data() + 4) : load16(message.data() + 6);
  if (mtu == 0) return std::nullopt;  // sent by a router older than RFC 1191
  return TooBig{*to, mtu, quoted};
}

// If a message of the outer path quotes a G-PDU between peers of `tunnels`, it is about the user's packet
// within. `tunnels`: null without tunnels.
inline std::optional<TooBig> packet_too_big(const Sdu& sdu, const GtpUSettings* tunnels) noexcept {
  const auto error = quoted_too_big(sdu);
  if (!error || tunnels == nullptr || sdu.outer_offset != 0) return error;
  const auto tunnel = peel_quoted(error->quoted, *tunnels);
  if (!tunnel) return error;
  const NetworkId network = sdu.network != kNoNetwork ? sdu.network : tunnel->network;
  const Bytes quoted = error->quoted.subspan(tunnel->inner);
  const auto ue = quoted_destination(quoted, network);
  if (!ue || error->mtu <= tunnel->inner) return std::nullopt;
  return TooBig{*ue, error->mtu - static_cast<std::uint32_t>(tunnel->inner), quoted};
}

}  // namespace dp
