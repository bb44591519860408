// The tunnels that rncd looks into: GTP-U between hosts of the radio access and of the core (TS 29.281).
// Tests: tests/unit/packet/peel_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"

namespace dp {

// The tunnel endpoints of one prefix. UEs behind them are in `network`, unless a VLAN says otherwise.
struct GtpUPeer {
  Prefix prefix;
  NetworkId network = kNoNetwork;
  friend bool operator==(const GtpUPeer&, const GtpUPeer&) = default;
};

// The treatment of tunnels whose G-PDUs carry sequence numbers: a receiver with ordered delivery waits for a
// number that an AQM has dropped.
enum class GtpUSequence : std::uint8_t { observe, ignore };  // observe: such frames cross unshaped
inline constexpr std::array<std::string_view, 2> kGtpUSequenceNames{"observe", "ignore"};

// The treatment of SDUs that wait in a downlink when its bearer gets another tunnel.
enum class OnHandover : std::uint8_t {
  keep,     // they leave in the tunnel in which they came
  rewrite,  // they leave in the new tunnel
  send,     // they leave at once, in the tunnel in which they came
};
inline constexpr std::array<std::string_view, 3> kOnHandoverNames{"keep", "rewrite", "send"};

// Immutable once sent to a worker. Without peers nothing is looked into.
struct GtpUSettings {
  static constexpr std::uint16_t kPort = 2152;  // registered with IANA
  static constexpr std::size_t kMostPeers = 64, kMostPorts = 4;

  std::vector<GtpUPeer> peers;              // at most kMostPeers
  std::vector<std::uint16_t> ports{kPort};  // UDP destination ports, at most kMostPorts
  GtpUSequence sequence = GtpUSequence::observe;
  OnHandover on_handover = OnHandover::keep;  // for tunnels that were learnt
  friend bool operator==(const GtpUSettings&, const GtpUSettings&) = default;

  // Null if the address is no peer's. The first prefix counts if several contain the address.
  const GtpUPeer* peer_ipv4(std::uint32_t address) const noexcept {
    for (const GtpUPeer& peer : peers) {
      if (peer.prefix.contains_ipv4(address)) return &peer;
    }
    return nullptr;
  }
  const GtpUPeer* peer_ipv6(std::uint64_t hi, std::uint64_t lo) const noexcept {
    for (const GtpUPeer& peer : peers) {
      if (peer.prefix.contains_ipv6(hi, lo)) return &peer;
    }
    return nullptr;
  }
  bool has_port(std::uint16_t port) const noexcept {
    for (const std::uint16_t own : ports) {
      if (own == port) return true;
    }
    return false;
  }
};

}  // namespace dp
