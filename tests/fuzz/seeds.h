// Frames of every kind that parsing tells apart. Fuzzing starts from them, and the unit tests cut them at
// every length.
#pragma once
#include <vector>

#include "tests/support/frames.h"

namespace dp::test {

// SYN options as Linux sends them: MSS, SACK permitted, timestamps, NOP, window scale.
inline Buffer syn_options() {
  return bytes({2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7});
}

// NOP, NOP, timestamps, NOP, NOP, two SACK blocks.
inline Buffer sack_options() {
  return bytes(
      {1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 8, 1, 1, 5, 18, 0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40});
}

inline std::vector<FrameSpec> ipv4_seeds() {
  return {
      {.tcp_flags = 2, .tcp_options = syn_options(), .payload = 0},
      {.tos = 3, .tcp_options = sack_options(), .payload = 40},
      {.vlans = {{0x8100, 7}}, .ip_options = bytes({1, 1, 1, 0}), .protocol = 17, .payload = 9},
      {.vlans = {{0x88a8, 7}, {0x8100, 8}}, .payload = 1},
      {.vlans = {{0x8100, 7}, {0x88a8, 8}}, .payload = 0, .padding = 6},
      {.vlans = {{0x8100, 1}, {0x8100, 2}, {0x8100, 3}}, .payload = 8},
      {.more_fragments = true, .protocol = 17, .payload = 24},
      {.fragment_offset = 1480, .payload = 24},
      {.protocol = 1, .payload = 8},
      {.protocol = 50, .payload = 20},
      {.dst = "224.0.0.5", .ttl = 1, .protocol = 89, .payload = 44},
      {.ttl = 255, .protocol = 17, .dport = 3784, .payload = 24},
      {.dst = "239.1.2.3", .protocol = 17, .payload = 8},
      {.eth_dst = {255, 255, 255, 255, 255, 255}, .dst = "255.255.255.255", .protocol = 17, .payload = 8},
  };
}

inline std::vector<FrameSpec> ipv6_seeds() {
  const Extension hop{0, bytes({0, 0, 5, 2, 0, 0, 1, 0})};
  const Extension routing{43, bytes({0, 0, 4, 0, 0, 0, 0, 0})};
  const Extension destination{60, bytes({0, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})};
  const Extension ah{51, bytes({0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0})};
  const Extension jumbo{0, bytes({0, 0, 0xc2, 4, 0, 1, 0, 0})};
  const char* ue = "2001:db8:45::2";
  return {
      {.dst = ue, .tos = 1, .tcp_options = syn_options(), .payload = 3},
      {.vlans = {{}}, .dst = ue, .extensions = {hop, routing, destination, ah}, .protocol = 17, .payload = 5},
      {.dst = ue, .extensions = {hop}, .more_fragments = true, .payload = 40},
      {.dst = ue, .extensions = {hop}, .fragment_offset = 64, .payload = 40},
      {.dst = ue, .extensions = {jumbo}, .payload = 10},
      {.dst = ue, .protocol = 59, .payload = 0},
      {.dst = "ff02::1:ff00:2", .ttl = 255, .protocol = 58, .icmp_type = 135, .payload = 16},
      {.dst = ue, .protocol = 58, .icmp_type = 128, .payload = 16},
      {.dst = "ff02::5", .ttl = 1, .protocol = 89, .payload = 36},
      {.dst = "ff02::fb", .protocol = 17, .payload = 12},
  };
}

inline std::vector<FrameSpec> link_seeds() {
  const Mac neighbour{0x01, 0x80, 0xc2, 0, 0, 0x00};
  return {
      {.ethertype = 0x0806, .payload = 28},
      {.vlans = {{}}, .ethertype = 0x0806, .payload = 28},
      {.eth_dst = {0x01, 0x80, 0xc2, 0, 0, 0x0e}, .ethertype = 0x88cc, .payload = 40},
      {.eth_dst = {0x01, 0x80, 0xc2, 0, 0, 0x02}, .ethertype = 0x8809, .payload = 110},
      {.eth_dst = neighbour, .ethertype = 38, .payload = 46},
      {.ethertype = 0x8864, .payload = 30},
      {.ethertype = 0x8847, .payload = 30},
  };
}

inline std::vector<Buffer> seed_frames() {
  std::vector<Buffer> frames;
  for (const auto& specs : {ipv4_seeds(), ipv6_seeds(), link_seeds()}) {
    for (const auto& spec : specs) frames.push_back(frame(spec));
  }
  return frames;
}

}  // namespace dp::test
