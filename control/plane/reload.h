// What a configuration file read again asks of a running data plane. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/model.h"
#include "control/plane/plan.h"

namespace control {

struct Reload {
  config::Config config;             // as it shall run
  std::optional<dp::Mode> mode;      // the file's mode has changed
  std::vector<std::string> refused;  // "dataplane.memory cannot change while rncd runs; restart it"
  Wish wish;
};

// Bearers of the file come and go with it; where a class changes, the bearers that are as it said follow, and
// those that were given settings of their own keep them. A class keeps its id, so none can go.
// Requires: all five outlive the work.
Slices plan_reload(const config::Config& running, const config::Config& file_before,
                   const config::Config& file, const BearerRegistry& registry, Reload& reload);

}  // namespace control
