// `rnclab sweep`: runs a scenario at every point of a grid in parallel processes; an interrupted sweep can be
// resumed.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include "tools/lab/options.h"

namespace lab {

struct SweepOptions : CommonOptions {
  std::string file;
  std::string out;  // folder of the results; empty: the file's name without its ending
};

void add_sweep_options(CLI::App& app, SweepOptions& options);

// Returns the exit code.
int run_sweep(const SweepOptions& options, const std::string& version);

}  // namespace lab
