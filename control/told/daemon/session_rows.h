// The rows of session.list: a UE each, told and applied.
#pragma once
#include "control/told/session_table.h"
#include "control/told/sink/reconciler.h"
#include "control/told/sink/wanted_bearer.h"
#include "dataplane/base/time.h"

namespace control::told {

// The parts from which rows are made. All outlive it.
struct SessionsView {
  const SessionTable& table;
  const Reconciler& reconciler;
  const ClassMap& classes;
  const SinkSettings& sink;
  dp::Time now;
};

// Answers {"cursor"?, "limit"?}: {"items", "next"}. Throws a rpc::Fault.
Json list_sessions(const Json& params, const SessionsView& view);

}  // namespace control::told
