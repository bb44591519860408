// Views of the Ethernet header and of VLAN tags, and classification by EtherTypes and addresses. Views point
// into the frame and own nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"

namespace dp {

// IEEE 802 numbers, as registered with IANA.
namespace ethertype {
inline constexpr std::uint16_t kIpv4 = 0x0800;
inline constexpr std::uint16_t kArp = 0x0806;
inline constexpr std::uint16_t kRarp = 0x8035;
inline constexpr std::uint16_t kVlan = 0x8100;  // IEEE 802.1Q C-tag
inline constexpr std::uint16_t kIpv6 = 0x86dd;
inline constexpr std::uint16_t kMacControl = 0x8808;   // IEEE 802.3 pause
inline constexpr std::uint16_t kSlow = 0x8809;         // LACP, OAM
inline constexpr std::uint16_t kEapol = 0x888e;        // IEEE 802.1X, the keys of MACsec
inline constexpr std::uint16_t kServiceVlan = 0x88a8;  // IEEE 802.1ad S-tag
inline constexpr std::uint16_t kLldp = 0x88cc;
inline constexpr std::uint16_t kMvrp = 0x88f5;
inline constexpr std::uint16_t kMmrp = 0x88f6;
inline constexpr std::uint16_t kPtp = 0x88f7;       // IEEE 1588 over Ethernet
inline constexpr std::uint16_t kCfm = 0x8902;       // connectivity faults, ring protection
inline constexpr std::uint16_t kLoopback = 0x9000;  // configuration test
}  // namespace ethertype

// IEEE 802.3 clause 3: destination, source, length or type.
struct EthernetView {
  static constexpr std::size_t kSize = 14;

  static std::optional<EthernetView> at(Bytes bytes) noexcept {
    if (bytes.size() < kSize) return std::nullopt;
    return EthernetView{bytes.data()};
  }

  std::uint16_t type() const noexcept { return load16(p + 12); }
  bool to_group() const noexcept { return (load8(p) & 1) != 0; }

  // IEEE 802.1Q table 8-1: 01-80-C2-00-00-0x, which no bridge forwards (STP, pause, LACP, LLDP ...).
  bool to_neighbour() const noexcept { return load64(p) >> 20 == 0x0180c200000; }

  const std::byte* p;
};

// IEEE 802.1Q clause 9: the control information and the type of what follows.
struct VlanView {
  static constexpr std::size_t kSize = 4;

  static std::optional<VlanView> at(Bytes bytes) noexcept {
    if (bytes.size() < kSize) return std::nullopt;
    return VlanView{bytes.data()};
  }

  std::uint16_t id() const noexcept { return load16(p) & 0x0fff; }
  std::uint8_t priority() const noexcept { return load8(p) >> 5; }
  std::uint16_t type() const noexcept { return load16(p + 2); }

  const std::byte* p;
};

constexpr bool is_vlan(std::uint16_t type) noexcept {
  return type == ethertype::kVlan || type == ethertype::kServiceVlan;
}

// IEEE 802.3 clause 3.2.6: up to 1500 the field is a length and LLC follows (STP, IS-IS).
constexpr bool is_length(std::uint16_t type) noexcept { return type <= 1500; }

// Frames by which neighbours find, protect and test the link between them.
constexpr bool keeps_link(std::uint16_t type) noexcept {
  switch (type) {
    case ethertype::kArp:
    case ethertype::kRarp:
    case ethertype::kMacControl:
    case ethertype::kSlow:
    case ethertype::kEapol:
    case ethertype::kLldp:
    case ethertype::kMvrp:
    case ethertype::kMmrp:
    case ethertype::kPtp:
    case ethertype::kCfm:
    case ethertype::kLoopback:
      return true;
    default:
      return is_length(type);
  }
}

}  // namespace dp
