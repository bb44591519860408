// `rnclab paper 001 --part window`: the figures of paper 001 section 5, simulated and held against what it
// says of them.
#pragma once
#include <string>

#include "tools/lab/cmd_paper.h"
#include "tools/lab/papers/catalogue.h"

namespace lab {

// Answers the exit code.
int run_window(const PaperOptions& options, const Paper& paper, const std::string& version);

}  // namespace lab
