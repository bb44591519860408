// Looks for a user's packet in a datagram between two tunnel endpoints (GTP-U, TS 29.281).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/base/ids.h"
#include "dataplane/packet/bytes.h"

namespace dp {

enum class GtpUVerdict : std::uint8_t {
  bare,      // no datagram to a GTP-U port between two peers: an IP packet like any other
  peeled,    // a G-PDU with an IP packet
  message,   // another message: echo, error indication, end marker ...
  version,   // not version 1, or GTP'
  length,    // the header or its length field exceeds the datagram, or the datagram exceeds its packet
  chain,     // the extension headers exceed the message, have length 0, or are longer than is supported
  inner,     // an IP packet that is inconsistent or exceeds the message
  not_ip,    // a T-PDU that is no IP packet (Ethernet, unstructured)
  fragment,  // a fragment of a datagram between peers
  sequence,  // a G-PDU with a sequence number, and these are observed
};

// An IP packet of the frame, as parsing has found it.
struct OuterPacket {
  Bytes head;             // the readable bytes of the frame
  std::size_t l3_offset;  // from the frame's first byte
  std::size_t l4_offset;  // 0: unreadable
  std::size_t end;        // of the packet, from the frame's first byte
  bool ipv6;
  bool fragment;
};

struct Peeled {
  GtpUVerdict verdict = GtpUVerdict::bare;
  NetworkId network = kNoNetwork;  // the peers' network
  std::size_t inner = 0;           // offset of the user's packet, if peeled
  std::size_t end = 0;             // offset of the end of the message, if peeled
};

// The largest offset of a user's packet in its frame.
inline constexpr std::size_t kMostOuter = 255;

// Requires: the packet is UDP, its IP header is within `head`, and `end` within the frame.
Peeled peel(const OuterPacket& outer, const GtpUSettings& settings) noexcept;

// The network of the endpoints of a tunnel whose IP header is at `l3`; none if one of them is no peer.
// Requires: the header is within `head`.
std::optional<NetworkId> network_of_peers(Bytes head, std::size_t l3, const GtpUSettings& settings) noexcept;

// A user's packet within a datagram that an ICMP message quotes.
struct QuotedTunnel {
  NetworkId network;  // the peers' network
  std::size_t inner;  // offset of the user's packet from the quoted IP header
};
// None if the quoted packet is no G-PDU between peers, or its headers are not quoted whole.
std::optional<QuotedTunnel> peel_quoted(Bytes quoted, const GtpUSettings& settings) noexcept;

}  // namespace dp
