// The bearers that a session asks for, as rncd's method bearer.set takes them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "control/told/class_map.h"
#include "control/told/session.h"
#include "control/told/session_table.h"
#include "dataplane/base/address.h"
#include "dataplane/base/gate.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/tunnel_key.h"

namespace control::told {

using Json = nlohmann::json;

// A bearer as it should be. Plain data.
struct WantedBearer {
  dp::UeAddress bearer;  // the default bearer of a UE, or a dedicated one by its QFI
  std::string class_name;
  std::optional<std::uint64_t> downlink, uplink;  // bit/s, as rncd takes them; none: the class has the rate
  dp::Gate downlink_gate = dp::Gate::open, uplink_gate = dp::Gate::open;
  std::optional<dp::TunnelKey> to_core, to_radio;  // the tunnels of uplink and downlink
  std::optional<std::uint8_t> qfi;                 // of both tunnels
  friend bool operator==(const WantedBearer&, const WantedBearer&) = default;

  bool has_tunnel() const { return to_core.has_value() || to_radio.has_value(); }
};

struct SinkSettings {
  bool tunnels = true;  // rncd looks into tunnels (dataplane.gtp_u): tunnels and dedicated bearers are set
};

// The default bearer first, then at most dp::kMostDedicatedBearers by QFI. Requires: `ue` is a UE of the
// session. Rates beyond those that rncd takes become the nearest that it does.
std::vector<WantedBearer> bearers_of(const dp::UeAddress& ue, const Session& session, const ClassMap& classes,
                                     const SinkSettings& settings);

// An entry of `bearers` of bearer.set. `with_tunnel`: with the tunnels that are known.
Json params_of(const WantedBearer& wanted, bool with_tunnel);

// The name of a bearer as bearer.remove takes it in `ues`.
Json name_json(const dp::UeAddress& bearer);
// The bearer that a row of bearer.list names; none if it is in a network, which no session is.
std::optional<dp::UeAddress> bearer_named(const Json& row);
// The bearer as a row of bearer.list shows it, so that setting it again changes nothing. A row of another
// shape has nothing.
WantedBearer wanted_of(const Json& row, const dp::UeAddress& bearer);

// The time since the last packet of its uplink, as a row of bearer.list has it; none if there was none.
std::optional<dp::Duration> uplink_silence(const Json& row);

// The gates of a session's default bearer. The downlink of an idle UE is held.
dp::Gate downlink_gate(const Session& session);
dp::Gate uplink_gate(const Session& session);

// The parts of a session that rncd does not enforce, in words; empty if there are none.
std::string not_enforced(const Session& session, const SinkSettings& settings);

}  // namespace control::told
