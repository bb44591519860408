// The options that rnclab's subcommands have in common. Parsing fills in the struct, which has to outlive the
// app.
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

// What programs leave with (README of the root).
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
// Of these all but --runs and --jobs, for what runs once.
void add_scenario_options(CLI::App& app, CommonOptions& options);

// The values of --set; throws CLI::ValidationError.
config::Overrides overrides_of(const CommonOptions& options);

// What a call's figures are of: `name` as the user knows it, `first` of its scenarios, `runs` when the user
// gives no number.
RunSetting setting_of(const CommonOptions& options, const std::string& name, const Scenario& first,
                      unsigned runs, const std::string& version);

// Every problem, and every warning, on a line of standard error.
void print_warnings(const std::vector<std::string>& warnings);
void print_problems(const std::vector<config::Problem>& problems);

}  // namespace lab
