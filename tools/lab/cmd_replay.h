// `rnclab replay`: passes captured frames through the bearers of a box under the virtual clock.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/lab/options.h"

namespace lab {

struct ReplayOptions : CommonOptions {
  std::string core, radio;  // captures
  std::string config, scenario;
  std::string bo, csv;
  std::string epoch;
  std::string every = "2s", within;
  std::vector<std::string> rrc;
};

void add_replay_options(CLI::App& app, ReplayOptions& options);

// Returns the exit code.
int run_replay(const ReplayOptions& options, const std::string& version);

}  // namespace lab
