// A bearer as the control socket shows it.
#pragma once
#include "control/plane/data_plane.h"
#include "control/rpc/codec.h"
#include "dataplane/bearer/tunnel.h"
#include "dataplane/rlc/am_event_totals.h"

namespace control::rpc {

enum class Detail { brief, full };  // `full`: with the settings of its AQM and its air

Json to_json(const dp::UeAddress& ue, const Record& record, const DataPlane& plane, Detail detail);

// The tunnel in which the packets of a direction come; null before one came in a tunnel, or was told.
Json to_json(const dp::Tunnel& tunnel, dp::Time now);

// Every setting of the policy in force.
Json aqm_json(const dp::AqmConfig& aqm);

Json to_json(const dp::AmEventTotals& totals);

}  // namespace control::rpc
