// The profile `low-delay` beside AQMs and drop-tail on a table of paths, as an experiment.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/papers/experiment.h"
#include "tools/lab/papers/path_rules.h"

namespace lab {

// `brief`: one run, just long enough for every path to leave its start behind.
Experiment paths_experiment(std::vector<Path> paths, std::vector<Scheme> schemes, bool brief);

// The paths alone, for --list.
std::string paths_list_text(const std::vector<Path>& paths);

}  // namespace lab
