// A TCP connection of a bearer as the control socket shows it.
// Tests: tests/unit/control/rpc/watch_test.cc
#pragma once
#include "control/rpc/codec.h"
#include "dataplane/flow/flow.h"
#include "dataplane/worker/flow_sheet.h"

namespace control::rpc {

inline double in_seconds(dp::Duration d) { return static_cast<double>(d.count()) / 1e9; }

// `split`: the connection in the bearer's proxy; null without one.
Json flow_json(const dp::Flow& flow, const dp::SplitRow* split, dp::Time now);

}  // namespace control::rpc
