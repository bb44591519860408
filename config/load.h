// Loads configuration text into a Config: the file first, then overrides from the environment and the flags.
// Returns either a valid Config or all problems, in the order of the file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/document.h"
#include "config/notation/problem.h"
#include "config/traces/trace_source.h"
#include "dataplane/base/result.h"

namespace config {

using Loaded = Checked<Config>;

Loaded load_file(const std::string& path, const Overrides& overrides = {});
// For a running rncd: reads regular files only, so that a pipe's writer cannot block it.
Loaded reload_file(const std::string& path, const Overrides& overrides = {});
// `traces`: resolves the key `trace`; null: its value is a path.
Loaded load_text(std::string_view text, const std::string& name, const Overrides& overrides = {},
                 TraceSource* traces = nullptr);

// The argument of `--set KEY=VALUE`.
dp::Result<Override> override_from_flag(std::string_view argument);

// Variables such as RNCD_DATAPLANE_MODE=tap. `unknown` has those that begin with RNCD_ and name no key:
// container platforms set such variables too, so they cause a warning, not an error.
struct Environment {
  Overrides overrides;
  std::vector<std::string> unknown;
};
Environment overrides_from_environment(const char* const* environment);

}  // namespace config
