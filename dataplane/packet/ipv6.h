// View of an IPv6 header, and the walk along its extension headers. They own nothing: they read the frame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/ipv4.h"

namespace dp {

// RFC 8200 section 3.
struct Ipv6View {
  static constexpr std::size_t kSize = 40;

  // The payload length may exceed `bytes`.
  static std::optional<Ipv6View> at(Bytes bytes) noexcept {
    if (bytes.size() < kSize || load8(bytes.data()) >> 4 != 6) return std::nullopt;
    return Ipv6View{bytes.data()};
  }

  std::uint8_t ecn() const noexcept { return load8(p + 1) >> 4 & 3; }  // RFC 3168 section 5
  std::uint32_t flow_label() const noexcept { return load32(p) & 0xfffff; }
  std::uint16_t payload_length() const noexcept { return load16(p + 4); }
  std::uint8_t next_header() const noexcept { return load8(p + 6); }
  std::uint8_t hop_limit() const noexcept { return load8(p + 7); }
  std::uint64_t source_hi() const noexcept { return load64(p + 8); }
  std::uint64_t source_lo() const noexcept { return load64(p + 16); }
  std::uint64_t destination_hi() const noexcept { return load64(p + 24); }
  std::uint64_t destination_lo() const noexcept { return load64(p + 32); }

  bool to_group() const noexcept { return load8(p + 24) == 0xff; }  // RFC 4291 section 2.7

  const std::byte* p;
};

// RFC 8200 section 4: the extension headers between the IPv6 header and what it carries.
struct Ipv6Chain {
  // RFC 8504 section 5.3 permits a limit; real chains have one or two headers.
  static constexpr unsigned kMaxHeaders = 8;

  std::size_t size = 0;       // bytes of the headers walked
  std::uint8_t protocol = 0;  // protocol after them
  bool fragment = false;      // the packet is a fragment
  bool ends_at_l4 = true;     // false in a later fragment, or after kMaxHeaders

  // None if a header exceeds `payload`, which begins after the IPv6 header. This rejects jumbograms too:
  // their payload length is 0 and their hop-by-hop header lies beyond it (RFC 2675 section 3).
  static std::optional<Ipv6Chain> at(Bytes payload, std::uint8_t next) noexcept {
    Ipv6Chain chain;
    for (unsigned n = 0; is_extension(next); ++n) {
      if (n == kMaxHeaders || !chain.ends_at_l4) {
        chain.ends_at_l4 = false;
        break;
      }
      if (payload.size() - chain.size < 8) return std::nullopt;
      const std::byte* header = payload.data() + chain.size;
      chain.size += size_of(next, header);
      if (chain.size > payload.size()) return std::nullopt;
      if (next == ip_protocol::kFragment) chain.note_fragment(load16(header + 2));
      next = load8(header);
    }
    chain.protocol = next;
    return chain;
  }

 private:
  static bool is_extension(std::uint8_t protocol) noexcept {
    switch (protocol) {
      case ip_protocol::kHopByHop:
      case ip_protocol::kRouting:
      case ip_protocol::kFragment:
      case ip_protocol::kAuthentication:
      case ip_protocol::kDestination:
        return true;
      default:
        return false;
    }
  }

  // RFC 8200 sections 4.3 to 4.6: 8-byte units beyond the first; the fragment header's second byte is
  // reserved; RFC 4302 section 2.2: 4-byte units beyond the second.
  static std::size_t size_of(std::uint8_t protocol, const std::byte* header) noexcept {
    if (protocol == ip_protocol::kFragment) return 8;
    const std::size_t length = load8(header + 1);
    return protocol == ip_protocol::kAuthentication ? (length + 2) * 4 : (length + 1) * 8;
  }

  // RFC 8200 section 4.5. Offset 0 without more to come is a whole packet (RFC 6946 section 4).
  void note_fragment(std::uint16_t offset_and_more) noexcept {
    fragment = fragment || (offset_and_more & 0xfff9) != 0;
    ends_at_l4 = (offset_and_more & 0xfff8) == 0;
  }
};

}  // namespace dp
