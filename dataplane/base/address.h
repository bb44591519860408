// UE addresses and the prefixes from which UEs are learnt. A UE is an IPv4 address, an IPv6 /64 or an IPv6
// /128 (TS 29.274: an IPv6 PDN connection has a /64), in a network or in none. Values in host byte order;
// plain data, copied freely.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/result.h"

namespace dp {

enum class UeKind : std::uint8_t { ipv4, ipv6_64, ipv6_128 };

// A dedicated bearer's packets differ from the other packets of its UE by the QFI in their PDU session
// container (TS 38.415 clause 5.5.3), or by their tunnel, as each RAB and each EPS bearer has one.
enum class Dedicated : std::uint8_t { no, by_qfi, by_teid };

inline constexpr std::uint32_t kMaxQfi = 63;           // TS 38.415 clause 5.5.3.3: 6 bits
inline constexpr unsigned kMostDedicatedBearers = 15;  // of one UE, for control to hold

// A UE, and which of its bearers: the default bearer, or a dedicated one. In order: IPv4 before IPv6, then by
// address, the same address by its network, the default bearer first.
struct UeAddress {
  std::uint64_t hi = 0;  // IPv6: first 64 bits; IPv4: zero
  std::uint64_t lo = 0;  // IPv6: last 64 bits (zero for a /64); IPv4: the address
  UeKind kind = UeKind::ipv4;
  NetworkId network = kNoNetwork;
  Dedicated dedicated = Dedicated::no;
  std::uint32_t id = 0;  // QFI, or TEID of the uplink tunnel, of a dedicated bearer
  friend constexpr auto operator<=>(const UeAddress&, const UeAddress&) = default;
};

constexpr UeAddress ue_ipv4(std::uint32_t address, NetworkId network = kNoNetwork) {
  return {0, address, UeKind::ipv4, network};
}
constexpr UeAddress ue_ipv6_64(std::uint64_t hi, NetworkId network = kNoNetwork) {
  return {hi, 0, UeKind::ipv6_64, network};
}
constexpr UeAddress ue_ipv6_128(std::uint64_t hi, std::uint64_t lo, NetworkId network = kNoNetwork) {
  return {hi, lo, UeKind::ipv6_128, network};
}
constexpr UeAddress default_bearer_of(UeAddress ue) {
  ue.dedicated = Dedicated::no;
  ue.id = 0;
  return ue;
}
constexpr UeAddress dedicated_by_qfi(UeAddress ue, std::uint32_t qfi) {
  DP_EXPECT(qfi <= kMaxQfi);
  ue.dedicated = Dedicated::by_qfi;
  ue.id = qfi;
  return ue;
}
constexpr UeAddress dedicated_by_teid(UeAddress ue, std::uint32_t uplink_teid) {
  ue.dedicated = Dedicated::by_teid;
  ue.id = uplink_teid;
  return ue;
}
constexpr bool same_ue(const UeAddress& a, const UeAddress& b) {
  return a.lo == b.lo && a.hi == b.hi && a.kind == b.kind && a.network == b.network;
}
// The default bearer of the /64 around an IPv6 address, in the same network.
constexpr UeAddress wider(const UeAddress& ue) { return ue_ipv6_64(ue.hi, ue.network); }

// "10.45.0.2", "2001:db8:1:2::/64", "2001:db8::7/128"; "2001:db8::7" means the /128. The network is not
// written, and parse_ue() gives none. A dedicated bearer has " qfi 1" or " teid 0x21" behind the address,
// which parse_ue() does not read.
std::string to_string(const UeAddress& ue);
// One address without a prefix's length; the values as in UeAddress.
std::string address_text(bool ipv6, std::uint64_t hi, std::uint64_t lo);
Result<UeAddress> parse_ue(std::string_view text);

// False for an address that no packet to or from a UE may have: loopback, multicast, unspecified, link-local
// and the like, which no router would forward. parse_ue() refuses the same.
bool can_be_ue(const UeAddress& ue) noexcept;

// A range of UE addresses: IPv4 up to /32, IPv6 up to /128.
struct Prefix {
  bool ipv6 = false;
  std::uint8_t length = 0;
  std::uint64_t hi = 0, lo = 0;  // as in UeAddress, host bits zero
  friend constexpr auto operator<=>(const Prefix&, const Prefix&) = default;

  constexpr bool contains_ipv4(std::uint32_t address) const noexcept {
    return !ipv6 && ((address ^ static_cast<std::uint32_t>(lo)) & mask32()) == 0;
  }
  constexpr bool contains_ipv6(std::uint64_t h, std::uint64_t l) const noexcept {
    return ipv6 && ((h ^ hi) & mask64(length)) == 0 &&
           ((l ^ lo) & mask64(length > 64 ? length - 64 : 0)) == 0;
  }

 private:
  static constexpr std::uint64_t mask64(unsigned bits) noexcept {
    return bits == 0 ? 0 : bits >= 64 ? ~std::uint64_t{0} : ~std::uint64_t{0} << (64 - bits);
  }
  constexpr std::uint32_t mask32() const noexcept {
    DP_EXPECT(length <= 32);
    return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
  }
};

// The address of an IPv4 UE as a /32, of an IPv6 UE as its /64 or /128.
Prefix prefix_of(const UeAddress& ue) noexcept;
// True if an address is in both.
bool overlap(const Prefix& a, const Prefix& b) noexcept;

// "10.45.0.0/16", "2001:db8::/48". Host bits that are set are refused, naming the prefix meant.
std::string to_string(const Prefix& prefix);
Result<Prefix> parse_prefix(std::string_view text);

}  // namespace dp
