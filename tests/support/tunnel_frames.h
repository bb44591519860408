// Frames on a wire with tunnels, for comparisons of whatever finds users' packets in them: many packets of
// users in every form of tunnel, bare, and other frames between tunnel endpoints. The endpoints are
// those of tunnels_of_tests().
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dataplane/base/ids.h"
#include "tests/support/tunnels.h"

namespace dp::test {

inline constexpr const char* kKnownUe4 = "10.45.0.2";
inline constexpr const char* kKnownUe6 = "2001:db8:45::2";
inline constexpr const char* kOtherUe4 = "10.46.0.7";
inline constexpr const char* kOtherUe6 = "2001:db8:46::2";

// The tunnel with right endpoints for a frame that comes in on that side.
inline TunnelSpec between_peers(bool ipv6, Side side, TunnelSpec spec = {}) {
  spec.src = ipv6 ? "2001:db8:1::1" : "192.0.2.1";
  spec.dst = ipv6 ? "2001:db8:1::2" : "192.0.2.2";
  if (side == Side::radio) std::swap(spec.src, spec.dst);
  return spec;
}

// A packet of the UE, from it or to it, as it comes in on that side.
inline FrameSpec packet_of(const Ip& ue, Side side, FrameSpec spec = {}) {
  const Ip other = ue.ipv6 ? "2001:db8:ffff::1" : "198.51.100.1";
  spec.src = side == Side::core ? other : ue;
  spec.dst = side == Side::core ? ue : other;
  return spec;
}

// Packets of all four UEs, and one to a group.
inline std::vector<FrameSpec> packets_of_users(Side side) {
  std::vector<FrameSpec> all;
  for (const Ip ue : {Ip(kKnownUe4), Ip(kOtherUe4), Ip(kKnownUe6), Ip(kOtherUe6)}) {
    const auto add = [&](const FrameSpec& spec) { all.push_back(packet_of(ue, side, spec)); };
    add({});
    add({.protocol = 17, .dport = 2152, .payload = 40});
    add({.more_fragments = true, .protocol = 17});
    add({.fragment_offset = 800, .protocol = 17});
    add({.protocol = 89, .payload = 44});
    for (const unsigned type : {1u, 2u, 3u, 8u, 128u, 135u})
      add({.protocol = std::uint8_t(ue.ipv6 ? 58 : 1), .icmp_type = std::uint8_t(type)});
    if (ue.ipv6) {
      Buffer options(16);
      options[1] = std::byte{1};
      add({.extensions = {{0, Buffer(8)}, {60, options}}});
    } else {
      add({.ip_options = Buffer(12, std::byte{1})});
    }
  }
  all.push_back(packet_of(kKnownUe4, side));
  all.back().dst = "224.0.0.5";
  return all;
}

// Forms of tunnels, right ones and wrong ones, over both IPs.
inline std::vector<TunnelSpec> forms_of_tunnels(Side side) {
  const GtpUExtension port{0x40, bytes({0x12, 0x34})}, wide{0x84, Buffer(14)};
  std::vector<TunnelSpec> all;
  for (const bool ipv6 : {false, true}) {
    const auto add = [&](const TunnelSpec& spec) { all.push_back(between_peers(ipv6, side, spec)); };
    add({});
    for (const std::size_t tags : {1u, 2u, 3u}) add({.vlans = std::vector<VlanTag>(tags)});
    add({.vlans = {{0x88a8, 7}, {0x8100, 8}}, .tos = 3, .sport = 40000, .checksum = false, .qfi = 9});
    add({.qfi = 63, .pdu_type = 1, .extensions = {port, wide}});
    add({.sequence = 7});
    add({.sequence = 7, .qfi = 5});
    // Up to those whose packet begins beyond kMostOuter.
    for (const std::size_t length : {1u, 30u, 46u, 47u, 48u, 49u, 50u, 51u, 52u, 60u})
      add({.extensions = std::vector(length, port)});
    for (const unsigned first : {0x10u, 0x20u, 0x38u, 0x50u, 0x31u})
      add({.version_and_type = std::uint8_t(first)});
    for (const unsigned type : {1u, 2u, 26u, 31u, 253u, 254u}) add({.message = std::uint8_t(type)});
    for (const unsigned to : {2153u, 53u, 0u}) add({.dport = std::uint16_t(to)});
    add({.behind = 7});
    const Ip other = ipv6 ? "2001:db8:2::1" : "198.51.100.1";
    add({});
    all.back().src = other;
    add({});
    all.back().dst = other;
  }
  return all;
}

// The datagram of a tunnel's frame behind other IP headers: options, extension headers.
inline Buffer with_longer_header(const Buffer& tunnel, const TunnelSpec& ends) {
  const bool ipv6 = ends.src.ipv6;
  FrameSpec spec{.ip_options = Buffer(20, std::byte{1}), .extensions = {{60, Buffer(8)}}, .protocol = 17};
  Buffer out(tunnel.begin(), tunnel.begin() + 14);
  const Bytes datagram = Bytes(tunnel).subspan(ipv6 ? 54 : 34);
  ipv6 ? detail::put_ipv6(out, spec, ends.src, ends.dst, datagram)
       : detail::put_ipv4(out, spec, ends.src, ends.dst, datagram);
  return out;
}

// Other frames between the endpoints: fragments, a tunnel within a tunnel, cut frames, other protocols.
inline std::vector<Buffer> other_frames_between_peers(Side side) {
  std::vector<Buffer> all;
  const Buffer inner = tunnelled(between_peers(false, side, {.teid = 7}), packet_of(kOtherUe4, side));
  all.push_back(tunnelled_packet(between_peers(false, side), Bytes(inner).subspan(14)));
  for (const bool ipv6 : {false, true}) {
    const TunnelSpec ends = between_peers(ipv6, side);
    FrameSpec spec{.src = ends.src, .dst = ends.dst, .protocol = 17, .dport = 2152};
    all.push_back(frame(spec));
    spec.more_fragments = true;
    all.push_back(frame(spec));
    spec.fragment_offset = 800;
    all.push_back(frame(spec));
    spec.protocol = 6;
    all.push_back(frame(spec));
    all.push_back(frame({.src = ends.src, .dst = ends.dst}));
    const Buffer tunnel = tunnelled(ends, packet_of(kKnownUe4, side));
    for (const std::size_t less : {1u, 20u, 60u, 90u})
      all.push_back(Buffer(tunnel.begin(), tunnel.end() - static_cast<std::ptrdiff_t>(less)));
    all.push_back(with_longer_header(tunnel, ends));
    all.push_back(tunnel);
    all.back()[0] |= std::byte{1};  // to a group of hosts
    if (!ipv6) {
      all.push_back(tunnel);
      all.back()[20] |= std::byte{0x20};  // a first fragment with a whole G-PDU
    }
    for (const Buffer& packet : {Buffer{}, Buffer(60), bytes({0x45})})
      all.push_back(tunnelled_packet(ends, packet));
  }
  return all;
}

// All of these: a few thousand.
inline std::vector<Buffer> frames_with_tunnels(Side side) {
  std::vector<Buffer> all = other_frames_between_peers(side);
  for (const FrameSpec& packet : packets_of_users(side)) {
    all.push_back(frame(packet));
    for (const TunnelSpec& form : forms_of_tunnels(side)) all.push_back(tunnelled(form, packet));
  }
  return all;
}

}  // namespace dp::test
