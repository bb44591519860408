// View of an ICMP or ICMPv6 header. It owns nothing: it points into the frame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"

namespace dp {

// RFC 792 and RFC 4443 section 2.1; every message of either has at least eight bytes.
struct IcmpView {
  static constexpr std::size_t kSize = 8;

  static std::optional<IcmpView> at(Bytes bytes) noexcept {
    if (bytes.size() < kSize) return std::nullopt;
    return IcmpView{bytes.data()};
  }

  std::uint8_t type() const noexcept { return load8(p); }
  std::uint8_t code() const noexcept { return load8(p + 1); }
  std::uint16_t checksum() const noexcept { return load16(p + 2); }

  const std::byte* p;
};

// RFC 4861 section 4: router and neighbour solicitations and advertisements, redirect.
constexpr bool is_neighbour_discovery(std::uint8_t icmpv6_type) noexcept {
  return icmpv6_type >= 133 && icmpv6_type <= 137;
}

}  // namespace dp
