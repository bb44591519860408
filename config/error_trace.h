// Error traces: files of what a channel lost, for the channel model `trace`. Read once, when the settings
// are; all bearers made from these share one. A configuration names them by path; what the socket's clients
// may name is config/trace_source.h's.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "config/notation/kinds.h"
#include "config/notation/problem.h"
#include "dataplane/link/channel/registry.h"

namespace config {

using ErrorTracePtr = std::shared_ptr<const dp::ErrorTrace>;

// One mark a TTI: `0` or `.` received, `1` or `x` lost. White space between marks, and what stands between
// `#` and the end of its line, means nothing. Problems say where, and nothing of what stands there: who names
// a file need not be allowed to read it.
Checked<ErrorTracePtr> parse_error_trace(std::string_view text, const std::string& path);
Checked<ErrorTracePtr> load_error_trace(const std::string& path);

struct ErrorTraceKind {
  std::string type() const { return "path"; }
  std::string values() const {
    return "none, or the path of a file with a mark a TTI: 0 . received, 1 x lost";
  }
  Json print(const ErrorTracePtr& trace) const { return trace ? trace->path : "none"; }
  void load(Reader& reader, const Node& node, ErrorTracePtr& into) const;
};

}  // namespace config
