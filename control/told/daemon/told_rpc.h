// The methods of rncd-told's control socket: session.list and version.
#pragma once
#include <functional>
#include <string>

#include "control/told/sink/wanted_bearer.h"

namespace control::told {

// Answers a line of JSON-RPC 2.0; empty if no answer is due. A batch is refused: each call is a line.
// `list`: answers session.list, and may throw a rpc::Fault.
std::string answer_line(const std::string& line, const std::function<Json(const Json& params)>& list);

}  // namespace control::told
