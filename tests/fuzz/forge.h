// Changes that somebody on the way, or a hostile end, makes to a TCP segment: other numbers, flags, window,
// options, payload, checksum.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/tcp/segment.h"
#include "tests/fuzz/input.h"
#include "tests/support/frames.h"

namespace dp::test {

// Ethernet without tags, as in all frames of the target `connections`.
inline constexpr std::size_t kEthernet = 14;

// The TTL of frames that are no whole TCP segments with a right checksum, and need not become any.
inline constexpr std::uint8_t kSpoilt = 13;

inline bool is_spoilt(Bytes frame) {
  const Bytes packet = frame.subspan(kEthernet);
  return load8(packet.data() + (load8(packet.data()) >> 4 == 4 ? 8 : 7)) == kSpoilt;
}

class Forger {
 public:
  // Requires: `frame` is a whole TCP segment.
  Forger(Input& input, Bytes frame) : input_(input) {
    const Bytes packet = frame.subspan(kEthernet);
    const TcpSegment s = *read_tcp(packet);
    const bool ipv6 = load8(packet.data()) >> 4 == 6;
    const std::size_t l4 = ipv6 ? 40 : 4 * (load8(packet.data()) & 15u);
    spec_.src = address(packet, ipv6 ? 8 : 12, ipv6), spec_.dst = address(packet, ipv6 ? 24 : 16, ipv6);
    spec_.sport = s.source_port, spec_.dport = s.destination_port;
    spec_.seq = s.seq, spec_.ack = s.ack, spec_.tcp_flags = s.flags, spec_.window = s.window;
    spec_.payload = s.payload.size();
    const std::size_t header = 4 * (load8(packet.data() + l4 + 12) >> 4);
    const Bytes options = packet.subspan(l4 + 20, header - 20);
    spec_.tcp_options.assign(options.begin(), options.end());
  }

  // With one to four changes.
  Buffer forged() {
    for (unsigned n = 1 + (input_.byte() & 3); n > 0; --n) change(input_.byte());
    Buffer out = frame(spec_);
    if (spec_.ttl == kSpoilt) out.back() ^= std::byte{0x55};
    return out;
  }

 private:
  static Ip address(Bytes packet, std::size_t at, bool ipv6) {
    if (!ipv6) return Ip(load32(packet.data() + at));
    return Ip(load64(packet.data() + at), load64(packet.data() + at + 8));
  }
  // Octets, a few hundred of them, or segments: backwards as likely as on.
  std::uint32_t near(unsigned how) {
    static constexpr std::array<std::uint32_t, 4> kUnits{1, 100, 1000, 1460};
    return (input_.byte() - 128u) * kUnits[how & 3];
  }
  void change(unsigned how) {
    const unsigned detail = how >> 4;
    switch (how & 15) {
      case 0:
        spec_.seq += near(detail);
        return;
      case 1:
        spec_.ack += near(detail);
        return;
      case 2:
        spec_.tcp_flags ^= static_cast<std::uint8_t>(1u << (detail & 7));
        return;
      case 3:
        spec_.tcp_flags = static_cast<std::uint8_t>(input_.byte());
        return;
      case 4:
        spec_.window = static_cast<std::uint16_t>(detail == 0 ? 0 : input_.word());
        return;
      case 5:
        spec_.payload = detail == 0 ? 0 : input_.byte() * (detail & 1 ? 1u : 6u);
        return;
      case 6:
        return block(detail);
      case 7:
        return sign(detail & 1 ? 29 : 19);
      case 8:
        return spec_.tcp_options.clear();
      case 9:
        spec_.tos = static_cast<std::uint8_t>(detail & 3);
        return;
      case 10:
        spec_.seq = input_.word() << 16 | detail;
        return;
      case 11:
        spec_.ack = input_.word() << 16 | detail;
        return;
      case 12:
        return add(input_.take(4 * (1 + detail % 10)));
      case 13:
        spec_.ttl = kSpoilt;
        return;
      case 14:
        spec_.more_fragments = true;
        spec_.ttl = kSpoilt;
        return;
      default:
        spec_.padding = detail;
        return;
    }
  }
  // A SACK block above the acknowledged, or below it.
  void block(unsigned detail) {
    const std::uint32_t left = spec_.ack + near(detail), right = left + near(detail >> 2);
    Buffer option = bytes({1, 1, 5, 10});
    detail::put32(option, left);
    detail::put32(option, right);
    add(option);
  }
  // A digest as of TCP-MD5 (RFC 2385) or TCP-AO (RFC 5925).
  void sign(unsigned kind) {
    spec_.tcp_options = bytes({1, 1, kind, 18});
    spec_.tcp_options.resize(20, std::byte{0x5a});
  }
  void add(Bytes option) {
    Buffer& all = spec_.tcp_options;
    const std::size_t whole = (option.size() + 3) / 4 * 4;
    if (all.size() + whole > 40) return;
    all.insert(all.end(), option.begin(), option.end());
    all.resize((all.size() + 3) / 4 * 4);
  }

  Input& input_;
  FrameSpec spec_;
};

}  // namespace dp::test
