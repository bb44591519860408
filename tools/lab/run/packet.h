// The lab's frames around TCP's packets: an Ethernet header, and a number in each packet that identifies its
// departure time.
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/tcp/segment.h"
#include "tools/lab/run/frames.h"

namespace lab {

inline constexpr std::size_t kLinkHeader = dp::EthernetView::kSize;

// Writes the Ethernet header in front of a packet of `bytes`. Requires: a frame has room for them.
inline void finish_frame(dp::Sdu& sdu, std::size_t bytes, bool ipv6) noexcept {
  DP_EXPECT(kLinkHeader + bytes <= FramePool::kFrameBytes);
  constexpr std::uint64_t kMac = 0x0200'0000'0001'0200;  // 02:00:00:00:00:01 to 02:00:00:00:00:02
  dp::store64(sdu.data, kMac);
  dp::store32(sdu.data + 8, 2);
  dp::store16(sdu.data + 12, ipv6 ? dp::ethertype::kIpv6 : dp::ethertype::kIpv4);
  sdu.frame_len = sdu.head_len = static_cast<std::uint32_t>(kLinkHeader + bytes);
  sdu.ip_len = static_cast<std::uint32_t>(bytes);
  sdu.l3_offset = kLinkHeader;
  sdu.outer_offset = 0;
}

// The packet, also of a frame in a tunnel. Requires: the frame is as finish_frame() or the worker left it.
inline dp::Bytes packet_of(const dp::Sdu& sdu) noexcept {
  DP_EXPECT(sdu.l3_offset >= kLinkHeader && sdu.head_len >= sdu.l3_offset);
  return sdu.head().subspan(sdu.l3_offset);
}

// IPv4 packets have an identification; for IPv6 the lab puts the number into the flow label, which no
// checksum covers.
inline void number_packet(dp::Sdu& sdu, std::uint16_t number) noexcept {
  if (dp::load8(sdu.data + kLinkHeader) >> 4 == 6) dp::store16(sdu.data + kLinkHeader + 2, number);
}
// Requires: number_packet() was called for this packet.
inline std::uint16_t number_of(dp::Bytes packet) noexcept {
  DP_EXPECT(packet.size() >= dp::Ipv4View::kMinSize);
  return dp::load8(packet.data()) >> 4 == 6 ? dp::load16(packet.data() + 2) : dp::load16(packet.data() + 4);
}

// Connections are distinguished by their ports, each pair of which is used once in a run.
struct Ports {
  std::uint16_t server, ue;
};
inline constexpr std::uint64_t kUePorts = 60'000, kFirstUePort = 1'024, kFirstServerPort = 5'001;
// Requires: connection < kMaxConnections.
inline Ports ports_of(std::uint64_t connection) noexcept {
  DP_EXPECT(connection < (65'536 - kFirstServerPort) * kUePorts);
  return {static_cast<std::uint16_t>(kFirstServerPort + connection / kUePorts),
          static_cast<std::uint16_t>(kFirstUePort + connection % kUePorts)};
}
inline std::uint64_t connection_of(const Ports& ports) noexcept {
  return (ports.server - kFirstServerPort) * kUePorts + (ports.ue - kFirstUePort);
}
// The largest number of connections in a run.
inline constexpr std::uint64_t kMaxConnections = (65'536 - kFirstServerPort) * kUePorts;

}  // namespace lab
