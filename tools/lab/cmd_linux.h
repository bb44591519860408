// `rnclab paper linux`: the profile `low-delay` beside Linux's qdiscs on the same path.
#pragma once
#include <string>

#include "tools/lab/cmd_paper.h"

namespace lab {

// Answers the exit code.
int run_linux(const PaperOptions& options, const std::string& version);

}  // namespace lab
