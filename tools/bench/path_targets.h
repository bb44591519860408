// The targets of `rncbench path` for the worker with frames of 64 bytes: over DPDK's null driver, beside
// rte_sched in the same run; and with few frames a poll over ports of memory. Printed under the tables; no
// exit code depends on them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/bench/measure.h"

namespace bench {

struct PathTarget {
  dp::yardstick::Traffic traffic;
  std::string figure;
  double found;
  std::optional<double> most;  // none: printed to explain the one before

  bool met() const { return !most || found <= *most; }
};

// The targets of the cells that have one, in the order of the cells. A ratio to another subject is present if
// both were measured.
std::vector<PathTarget> path_targets(const std::vector<CellResult>& cells);

// Empty if there are no targets.
std::string path_targets_table(const std::vector<PathTarget>& targets);
nlohmann::json path_targets_json(const std::vector<PathTarget>& targets);

}  // namespace bench
