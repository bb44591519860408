// Configuration text to Config: the file first, then what the environment and the flags override. Either a
// Config in which everything is valid, or all problems at once, in the order of the file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/document.h"
#include "config/notation/problem.h"
#include "config/trace_source.h"
#include "dataplane/base/result.h"

namespace config {

using Loaded = Checked<Config>;

Loaded load_file(const std::string& path, const Overrides& overrides = {});
// While rncd runs: only from a regular file, so that nobody waits for whoever writes a pipe.
Loaded reload_file(const std::string& path, const Overrides& overrides = {});
// `traces`: what the key `trace` leads to; null: the path that it gives.
Loaded load_text(std::string_view text, const std::string& name, const Overrides& overrides = {},
                 TraceSource* traces = nullptr);

// The argument of `--set KEY=VALUE`.
dp::Result<Override> override_from_flag(std::string_view argument);

// Variables such as RNCD_DATAPLANE_MODE=tap. Those that begin with RNCD_ and name no key come back in
// `unknown`: container platforms set such variables too, so they deserve a warning, not an end.
struct Environment {
  Overrides overrides;
  std::vector<std::string> unknown;
};
Environment overrides_from_environment(const char* const* environment);

}  // namespace config
