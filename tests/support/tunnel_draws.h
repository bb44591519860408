// Random tunnels and random packets of TCP for them.
#pragma once
#include <random>

#include "tests/fuzz/seeds.h"
#include "tests/support/tunnels.h"

namespace dp::test {

// Between the peers of tunnels_of_tests().
inline TunnelSpec drawn_tunnel(std::mt19937& draws) {
  TunnelSpec tunnel{.teid = static_cast<std::uint32_t>(draws())};
  if (draws() % 2 == 0) tunnel.src = "2001:db8:1::1", tunnel.dst = "2001:db8:1::2";
  if (draws() % 2 == 0) tunnel.vlans = {{}};
  if (draws() % 2 == 0) tunnel.qfi = static_cast<std::uint8_t>(draws() % 64);
  if (draws() % 4 == 0) tunnel.sequence = static_cast<std::uint16_t>(draws());
  if (draws() % 4 == 0) tunnel.extensions = {{0x40, bytes({1, 2})}, {0xc0, bytes({3, 4})}};
  tunnel.sport = static_cast<std::uint16_t>(49152 + draws() % 16384);
  tunnel.checksum = draws() % 4 != 0;
  tunnel.behind = draws() % 4;
  return tunnel;
}

inline FrameSpec drawn_packet(std::mt19937& draws) {
  FrameSpec user{.tos = static_cast<std::uint8_t>(draws() % 64 << 2 | (1 + draws() % 2))};
  user.dst = draws() % 2 == 0 ? "10.45.0.2" : "2001:db8:45::2";
  if (!user.dst->ipv6 && draws() % 4 == 0) user.ip_options = Buffer(4, std::byte{1});
  if (user.dst->ipv6 && draws() % 4 == 0) user.extensions = {{60, bytes({0, 0, 1, 4, 0, 0, 0, 0})}};
  user.tcp_options = draws() % 2 == 0 ? syn_options() : sack_options();
  user.seq = static_cast<std::uint32_t>(draws());
  user.window = static_cast<std::uint16_t>(draws());
  user.payload = draws() % 200;
  return user;
}

inline GtpUSettings tunnels_ignoring_sequence() {
  GtpUSettings settings = tunnels_of_tests();
  settings.sequence = GtpUSequence::ignore;
  return settings;
}

}  // namespace dp::test
