// The counters as stats.get shows them.
#pragma once
#include "control/rpc/codec.h"
#include "control/rpc/methods.h"

namespace control {

rpc::Json stats_json(const DataPlane& plane, const View& view);

}  // namespace control
