// A bearer's figures and its limit, as `bearer.top` and `bearer.why` tell them: from the samples of its
// meter, its settings, and its connections.
// Tests: tests/unit/control/rpc/watch_test.cc
#pragma once
#include <cstddef>
#include <optional>

#include "control/metrics/box_watch.h"
#include "control/plane/data_plane.h"
#include "control/plane/limits.h"
#include "control/rpc/codec.h"
#include "dataplane/flow/flow.h"

namespace control::rpc {

// The TCP connections of a bearer, summed up.
struct FlowSummary {
  std::size_t connections = 0;
  std::optional<double> radio_rtt{}, core_rtt{};  // seconds, the shortest
  bool window_told = false;                       // LegFacts::window_told

  void add(const dp::Flow& flow);
};

// True if rncd follows the bearer's connections.
bool follows_flows(const Record& record);

// A leg: rates set and delivered, its queue, drops and marks. Requires: the record is in the plane's registry
// and has a bearer.
Json leg_watch_json(const Record& record, dp::Direction direction, const BearerMeter& meter);

// The facts by which a leg's limit is found. `of_another_class` is left false.
LegFacts leg_facts(const Record& record, const dp::UeAddress& ue, dp::Direction direction,
                   const DataPlane& plane, const BoxWatch::Reading& box, const FlowSummary& flows);

Json rtt_json(const FlowSummary& flows);

// ACKs that stages hold.
std::uint64_t acks_held(const Record& record);

}  // namespace control::rpc
