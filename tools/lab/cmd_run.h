// `rnclab run`: runs a scenario a number of times and reports the results.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include "tools/lab/options.h"

namespace lab {

struct RunOptions : CommonOptions {
  std::string file;
};

void add_run_options(CLI::App& app, RunOptions& options);

// Returns the exit code.
int run_run(const RunOptions& options, const std::string& version);

}  // namespace lab
