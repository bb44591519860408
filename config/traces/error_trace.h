// Error traces: files with a channel's losses, for the channel model `trace`. Read once, when settings are
// loaded, and shared by all bearers made from them. A configuration gives paths; for the socket's clients see
// config/traces/trace_source.h.
// Tests: tests/unit/config/error_trace_test.cc
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "config/notation/kinds.h"
#include "config/notation/problem.h"
#include "dataplane/link/channel/registry.h"

namespace config {

using ErrorTracePtr = std::shared_ptr<const dp::ErrorTrace>;

// One mark a TTI: `0` or `.` received, `1` or `x` lost. White space between marks and comments from `#` to
// the end of the line are ignored. Problems give the place but no content, since the client that names a file
// may lack the right to read it.
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
