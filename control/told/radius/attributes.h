// Attributes of accounting, disconnect and CoA requests by meaning: identity, addresses, rates and names for
// the table of classes. Everything else is skipped.
// Tests: tests/oracle/radius_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/told/radius/packet.h"
#include "control/told/session.h"
#include "dataplane/base/address.h"
#include "dataplane/base/time.h"

namespace control::told::radius {

// RFC 2865 section 5, RFC 2866 section 5, RFC 3162, RFC 4818, RFC 6911, RFC 5176 section 3.
namespace attribute {
inline constexpr std::uint8_t kUserName = 1;
inline constexpr std::uint8_t kNasIpAddress = 4;
inline constexpr std::uint8_t kFramedIpAddress = 8;
inline constexpr std::uint8_t kClass = 25;
inline constexpr std::uint8_t kCallingStationId = 31;
inline constexpr std::uint8_t kNasIdentifier = 32;
inline constexpr std::uint8_t kProxyState = 33;
inline constexpr std::uint8_t kAcctStatusType = 40;
inline constexpr std::uint8_t kAcctDelayTime = 41;
inline constexpr std::uint8_t kAcctSessionId = 44;
inline constexpr std::uint8_t kNasIpv6Address = 95;
inline constexpr std::uint8_t kFramedIpv6Prefix = 97;
inline constexpr std::uint8_t kErrorCause = 101;
inline constexpr std::uint8_t kDelegatedIpv6Prefix = 123;
inline constexpr std::uint8_t kFramedIpv6Address = 168;
}  // namespace attribute

// RFC 2866 section 5.1.
enum class Status : std::uint32_t { start = 1, stop = 2, interim = 3, on = 7, off = 8 };

inline constexpr std::size_t kMaxHint = 512;  // octets of all names for the table of classes

// The content of a request. Text is escaped (escaped_text()); empty or none: not told.
struct Told {
  std::optional<std::uint32_t> status;  // Acct-Status-Type
  dp::Duration delay{};                 // Acct-Delay-Time: how long the sender has tried
  std::string nas;                      // NAS-IP-Address, or NAS-IPv6-Address, or NAS-Identifier
  std::string nas_identifier;
  std::string acct_session_id;
  std::string user, station, imsi;
  std::vector<dp::UeAddress> ues;  // those that a UE can have, in order, at most kMaxUes
  // The subscriber's, in bit/s; 0: no limit. Mikrotik's goes before WISPr's, WISPr's before Huawei's.
  std::optional<std::uint64_t> uplink, downlink;
  std::string class_hint;      // names, one a line, at most kMaxHint octets
  std::size_t unreadable = 0;  // attributes with a value that their definition does not allow
  std::size_t unusable = 0;    // addresses and prefixes that are no UE of rncd's: wider than /64, or nobody's

  // The identity of a session: IMSI, else name of the user, else number of the station.
  const std::string& identity() const { return !imsi.empty() ? imsi : !user.empty() ? user : station; }
};

Told read_attributes(dp::Bytes attributes);

// Printable ASCII as it is but for % and space, other octets as %XX: equal texts have equal octets.
std::string escaped_text(std::string_view octets);

}  // namespace control::told::radius
