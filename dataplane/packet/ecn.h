// Explicit congestion notification in the IP header (RFC 3168).
#pragma once
#include <cstdint>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/packet/sdu.h"

namespace dp {

inline constexpr std::uint8_t kNotEct = 0;
inline constexpr std::uint8_t kEct0 = 2;
inline constexpr std::uint8_t kCe = 3;

// Writes the field of the user's packet (section 5). Of the checksums that cover it, the IPv4 header's and
// that of a tunnel's UDP, the first keeps the second right: both words change by opposite amounts. An IPv6
// header has none, so that the tunnel's is updated. Requires: parse() found an IP packet; a two-bit value.
inline void write_ecn(Sdu& sdu, std::uint8_t ecn) noexcept {
  std::byte* const ip = sdu.data + sdu.l3_offset;
  const std::uint16_t before = load16(ip);
  const unsigned shift = sdu.ipv6 ? 4 : 0;
  const auto after = static_cast<std::uint16_t>((before & ~(3u << shift)) | std::uint32_t{ecn} << shift);
  store16(ip, after);
  if (!sdu.ipv6) {
    store16(ip + 10, checksum_update16(load16(ip + 10), before, after));
  } else if (sdu.outer_offset != 0) [[unlikely]] {
    update_tunnel_checksum(sdu, before, after);
  }
  sdu.ecn = ecn;
}

// Sets CE; false, without effect, if the packet is not ECN-capable (section 5). Requires: parse() found an IP
// packet.
inline bool mark_ce(Sdu& sdu) noexcept {
  if (sdu.ecn == kNotEct) return false;
  if (sdu.ecn != kCe) write_ecn(sdu, kCe);
  return true;
}

}  // namespace dp
