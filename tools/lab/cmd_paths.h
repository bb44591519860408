// `rnclab paper linux --paths`: the profile `low-delay` beside AQMs and drop-tail on a table of paths.
#pragma once
#include <string>

#include "tools/lab/cmd_paper.h"

namespace lab {

// Answers the exit code.
int run_paths(const PaperOptions& options, const std::string& version);

}  // namespace lab
