// GTP-U tunnels in a scenario (TS 29.281): between a gateway at the core port and base stations at the radio
// port. Everything else of a scenario is about the packets within.
// Tests: tests/unit/lab/run/tunnels_test.cc
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/gtp_u_settings.h"
#include "dataplane/packet/parse.h"

namespace lab {

struct TunnelSettings {
  dp::IpAddress core{false, 0, 0xc612'0001};   // 198.18.0.1, of RFC 2544's range: the gateway
  dp::IpAddress radio{false, 0, 0xc612'0002};  // 198.18.0.2: the base station of all UEs at first
  std::optional<std::uint8_t> qfi;             // QoS flow (TS 38.415): a PDU session container in each packet
  bool checksum = true;                        // outer UDP checksum; otherwise it is 0
  dp::OnHandover on_handover = dp::OnHandover::keep;
};

// A base station; the one after the last is the first.
inline constexpr std::uint32_t kStations = 2;
inline dp::IpAddress station(const TunnelSettings& settings, std::uint32_t number) noexcept {
  dp::IpAddress address = settings.radio;
  address.lo += number % kStations;
  return address;
}

// The settings of a worker between them.
inline dp::GtpUSettings gtp_u_of(const TunnelSettings& settings) {
  const auto whole = [](const dp::IpAddress& address) {
    const std::uint8_t bits = address.ipv6 ? 128 : 32;
    return dp::GtpUPeer{.prefix = {address.ipv6, bits, address.hi, address.lo}};
  };
  dp::GtpUSettings made;
  made.peers.push_back(whole(settings.core));
  for (std::uint32_t i = 0; i < kStations; ++i) made.peers.push_back(whole(station(settings, i)));
  made.on_handover = settings.on_handover;
  return made;
}

}  // namespace lab
