// A bearer as the control socket shows it.
#pragma once
#include "config/model.h"
#include "control/plane/bearer_registry.h"
#include "control/rpc/codec.h"
#include "dataplane/rlc/am_event_totals.h"
#include "dataplane/worker/runtime.h"

namespace control::rpc {

enum class Detail { brief, full };  // `full`: with the settings of its AQM and its air

Json to_json(const dp::UeAddress& ue, const Record& record, const std::vector<config::Class>& classes,
             const dp::Runtime& runtime, Detail detail);

// Every setting of the policy, as it is in force.
Json aqm_json(const dp::AqmConfig& aqm);

Json to_json(const dp::AmEventTotals& totals);

}  // namespace control::rpc
