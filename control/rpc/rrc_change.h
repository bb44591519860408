// The change that rrc.reconfigure requests, read once however many bearers it is for.
// Tests: tests/unit/control/rpc/rrc_test.cc
#pragma once
#include <array>
#include <string>

#include "control/rpc/params.h"

namespace control::rpc {

class RrcChange {
 public:
  static constexpr std::string_view kBoth = "both";

  // `json`: {"rate", "uplink_rate", "direction", "aqm", "uplink_aqm", "gate", "uplink_gate", "queue", "ack",
  // "proxy"}, at least one of which names a change, and "bearer", which is not read here. `where` names it in
  // messages. Throws Fault.
  RrcChange(const Json& json, const std::string& where);

  // The keys that replace settings of a bearer's legs, and of its proxy. A bearer over an air has one rate
  // unless the request differs: both of its directions change.
  const Json& legs(bool over_air) const { return of_[over_air].legs; }
  // The direction that a rate is for: "downlink", "uplink" or "both".
  const std::string& direction(bool over_air) const { return of_[over_air].direction; }

 private:
  struct OfBearer {
    std::string direction;
    Json legs = Json::object();
  };
  static OfBearer read(const Params& params, bool over_air);

  std::array<OfBearer, 2> of_;  // by over_air
};

}  // namespace control::rpc
