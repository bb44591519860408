// A session of a subscriber as a source was told of it, in the terms of the bearers that it asks for. Plain
// data.
// Tests: tests/unit/control/told/session_table_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/tunnel_key.h"

namespace control::told {

// Limits of one direction of a session or of a flow.
struct Way {
  std::optional<std::uint64_t> bit_per_s;  // none: no limit was told, which is not 0
  bool open = true;                        // the gate: a closed one lets nothing through
  friend bool operator==(const Way&, const Way&) = default;
};

// A flow with a QoS of its own: a dedicated bearer of the UE.
struct Flow {
  std::uint8_t qfi = 0;  // 1 to 63
  Way uplink, downlink;
  friend bool operator==(const Flow&, const Flow&) = default;
};

enum class SessionState : std::uint8_t {
  live,
  stale,   // whoever told it has restarted: the bearer stays a while, for a session of the same UE
  ending,  // it was deleted, and goes a moment later, unless a session of the same UE comes
};

inline constexpr std::size_t kMaxUes = 4;  // a session has no more

struct Session {
  std::string id;        // unique in its source, as long as the session lives
  std::string peer;      // who told it: the text of an address
  std::string identity;  // IMSI, or name of the user; may be empty
  std::vector<dp::UeAddress>
      ues;               // IPv4, IPv6 prefixes and addresses, at most kMaxUes; in no network; in order
  Way uplink, downlink;  // of the whole session: its AMBR
  bool idle = false;     // the UE is idle: its downlink is held
  std::optional<dp::TunnelKey> to_core;   // the end of the uplink's tunnel, if it is known
  std::optional<dp::TunnelKey> to_radio;  // the end of the downlink's tunnel, if it is known
  std::optional<std::uint8_t> qfi;        // of the default flow, if there are QFIs
  std::vector<Flow> flows;                // by QFI, without the default flow
  std::string class_hint;                 // names for the table of classes, one a line; may be empty
  SessionState state = SessionState::live;
  friend bool operator==(const Session&, const Session&) = default;
};

}  // namespace control::told
