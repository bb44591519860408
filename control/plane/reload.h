// The changes of a running data plane that a configuration file read again requires. Pure.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/model.h"
#include "control/bearers/plan.h"

namespace control {

struct Reload {
  config::Config config;             // the configuration as it shall run
  std::optional<dp::Mode> mode;      // the file's mode, if it has changed
  std::vector<std::string> refused;  // "dataplane.memory cannot change while rncd runs; restart it"
  Wish wish;
  std::vector<std::string> cells_gone;  // cells that the file no longer has
};

// Makes the missing ones of these cells; returns all, in their order.
using MakeCells = std::function<std::vector<CellRecord*>(const std::vector<config::Cell>&)>;

// Bearers of the file come and go with it; where a class changes, bearers with the settings of the class
// follow, and bearers that were given settings of their own keep them. A class keeps its id, so none can go,
// and likewise a network, which keeps its name alone. A cell follows the file where the file has changed, and
// so do the cells of bearers; bearers and cells that were made, set or relocated over the socket stay.
// Requires: all six outlive the work.
Slices plan_reload(const config::Config& running, const config::Config& file_before,
                   const config::Config& file, const BearerRegistry& registry, const MakeCells& make_cells,
                   Reload& reload);

// The cell of the rule by which the UE would be learnt; kNoCell without any.
config::CellId rule_cell(const std::vector<config::Learn>& rules, const dp::UeAddress& ue);

}  // namespace control
