// View of an IPv4 header. It owns nothing: it points into the frame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"

namespace dp {

// Assigned Internet protocol numbers (IANA), as IPv4's protocol and IPv6's next header carry them.
namespace ip_protocol {
inline constexpr std::uint8_t kHopByHop = 0;
inline constexpr std::uint8_t kIcmp = 1;
inline constexpr std::uint8_t kTcp = 6;
inline constexpr std::uint8_t kUdp = 17;
inline constexpr std::uint8_t kRouting = 43;
inline constexpr std::uint8_t kFragment = 44;
inline constexpr std::uint8_t kAuthentication = 51;
inline constexpr std::uint8_t kIcmpv6 = 58;
inline constexpr std::uint8_t kDestination = 60;
inline constexpr std::uint8_t kOspf = 89;
}  // namespace ip_protocol

// RFC 791 section 3.1.
struct Ipv4View {
  static constexpr std::size_t kMinSize = 20;

  // None unless version, header length and total length are consistent and the whole header is present; the
  // total length may exceed `bytes`. The checksum is not verified.
  static std::optional<Ipv4View> at(Bytes bytes) noexcept {
    if (bytes.size() < kMinSize) return std::nullopt;
    const Ipv4View view{bytes.data()};
    // Version 4 with five to fifteen words, in one comparison.
    if (static_cast<std::uint8_t>(load8(view.p) - 0x45) > 0x0a) return std::nullopt;
    const std::size_t size = view.header_size();
    if (size > bytes.size() || size > view.total_length()) return std::nullopt;
    return view;
  }

  std::size_t header_size() const noexcept { return std::size_t{load8(p) & 0x0fu} * 4; }
  std::uint8_t ecn() const noexcept { return load8(p + 1) & 3; }  // RFC 3168 section 5
  std::uint16_t total_length() const noexcept { return load16(p + 2); }
  std::uint16_t ident() const noexcept { return load16(p + 4); }
  bool dont_fragment() const noexcept { return (load8(p + 6) & 0x40) != 0; }
  bool more_fragments() const noexcept { return (load8(p + 6) & 0x20) != 0; }
  std::size_t fragment_offset() const noexcept { return std::size_t{load16(p + 6) & 0x1fffu} * 8; }
  bool fragment() const noexcept { return (load16(p + 6) & 0x3fff) != 0; }
  std::uint8_t ttl() const noexcept { return load8(p + 8); }
  std::uint8_t protocol() const noexcept { return load8(p + 9); }
  std::uint16_t checksum() const noexcept { return load16(p + 10); }
  std::uint32_t source() const noexcept { return load32(p + 12); }
  std::uint32_t destination() const noexcept { return load32(p + 16); }

  // RFC 1112 section 4 and RFC 919 section 7.
  bool to_group() const noexcept { return destination() >> 28 == 0xe || destination() == 0xffffffff; }

  const std::byte* p;
};

}  // namespace dp
