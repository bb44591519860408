// The tunnels of a bearer as a request gives them.
#pragma once
#include <deque>
#include <string>

#include "config/model.h"
#include "control/bearers/plan.h"
#include "control/rpc/codec.h"

namespace control::rpc {

// The addresses that a text such as "192.0.2.11", "2001:db8:1::11" or "192.0.2.0/24" stands for.
dp::Result<dp::Prefix> parse_endpoints(const std::string& text);

// Reads {"downlink": {"endpoint", "teid", "qfi"}, "uplink": {...}, "handover"} for the bearer. `where` names
// the object in messages. Throws a Fault if rncd looks into no tunnels, an endpoint is no peer of
// dataplane.gtp_u, its UEs are in another network than this one, or the bearer cannot have such a tunnel: one
// by QFI has that of its UE's default bearer, one by TEID is named by the TEID of its uplink.
void read_tunnels(const Json& json, const std::string& where, const dp::UeAddress& ue,
                  const config::Config& config, std::deque<ToldTunnel>& into);

}  // namespace control::rpc
