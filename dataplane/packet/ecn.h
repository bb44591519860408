// Explicit congestion notification in the IP header (RFC 3168).
#pragma once
#include <cstdint>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/sdu.h"

namespace dp {

inline constexpr std::uint8_t kNotEct = 0;
inline constexpr std::uint8_t kCe = 3;

// Sets CE, the IPv4 header checksum with it; false, and nothing done, when the packet is not ECN-capable
// (section 5). An IPv6 header has no checksum, and no other covers the traffic class. Requires: parse() has
// found an IP packet.
inline bool mark_ce(Sdu& sdu) noexcept {
  if (sdu.ecn == kNotEct) return false;
  if (sdu.ecn == kCe) return true;
  std::byte* const ip = sdu.data + sdu.l3_offset;
  const std::uint16_t before = load16(ip);
  const auto after = static_cast<std::uint16_t>(before | (sdu.ipv6 ? kCe << 4 : kCe));
  store16(ip, after);
  if (!sdu.ipv6) store16(ip + 10, checksum_update16(load16(ip + 10), before, after));
  sdu.ecn = kCe;
  return true;
}

}  // namespace dp
