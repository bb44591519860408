// The TCP segment of a source that an ICMP message quotes, as far as it is quoted: at least its ports and its
// number (RFC 792, RFC 4443).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/flow/key.h"
#include "dataplane/packet/bytes.h"

namespace dp {

struct QuotedSegment {
  FlowKey key;  // connection of a segment sent to the UE
  std::uint32_t seq;
  std::uint32_t ip_header;  // bytes
};

// None if the packet, whose first bytes are given, is no such segment.
inline std::optional<QuotedSegment> quoted_segment(Bytes quoted) noexcept {
  FlowKey key;
  std::size_t header = 0;
  if (const auto v4 = Ipv4View::at(quoted); v4 && v4->protocol() == ip_protocol::kTcp) {
    key.ue_lo = v4->destination();
    key.peer_lo = v4->source();
    header = v4->header_size();
  } else if (const auto v6 = Ipv6View::at(quoted); v6 && v6->next_header() == ip_protocol::kTcp) {
    key.ipv6 = true;
    header = Ipv6View::kSize;
    const auto word = [&](std::size_t at) {
      return std::uint64_t{load32(quoted.data() + at)} << 32 | load32(quoted.data() + at + 4);
    };
    key.peer_hi = word(8), key.peer_lo = word(16), key.ue_hi = word(24), key.ue_lo = word(32);
  }
  if (header == 0 || quoted.size() < header + 8) return std::nullopt;
  key.peer_port = load16(quoted.data() + header);
  key.ue_port = load16(quoted.data() + header + 2);
  return QuotedSegment{key, load32(quoted.data() + header + 4), static_cast<std::uint32_t>(header)};
}

}  // namespace dp
