// Options shared by rnclab's subcommands. Parsing fills in the struct, which must outlive the app.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/load.h"
#include "tools/lab/figures/json.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// Exit codes (README of the root).
enum Exit { kOk = 0, kFault = 1, kUsage = 2, kConfiguration = 3, kInterrupted = 130 };

struct CommonOptions {
  std::optional<unsigned> runs;
  std::optional<std::uint64_t> seed;
  unsigned jobs = 1;
  std::string json;
  std::string plot;  // folder
  std::vector<std::string> set;
};

void add_common_options(CLI::App& app, CommonOptions& options);
// All options but --runs and --jobs, for subcommands with a single run.
void add_scenario_options(CLI::App& app, CommonOptions& options);

// The values of --set; throws CLI::ValidationError.
config::Overrides overrides_of(const CommonOptions& options);

// The setting of a call's figures: `name` as the user gave it, `first` of its scenarios, `runs` if the user
// gives no number.
RunSetting setting_of(const CommonOptions& options, const std::string& name, const Scenario& first,
                      unsigned runs, const std::string& version);

// Prints each on a line of standard error.
void print_warnings(const std::vector<std::string>& warnings);
void print_problems(const std::vector<config::Problem>& problems);

}  // namespace lab
