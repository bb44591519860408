// The outcome of `rnclab paper linux --paths` as tables and JSON.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/path_rules.h"

namespace lab {

struct PathsOutcome {
  std::vector<Path> paths;
  std::vector<Scheme> schemes;
  PathResults results;
  RunSetting setting;
  std::vector<std::string> set;  // keys that the user made different
};

std::string paths_text(const PathsOutcome& outcome);
Json paths_json(const PathsOutcome& outcome);

// The paths alone, for --list.
std::string paths_list_text(const std::vector<Path>& paths);

}  // namespace lab
