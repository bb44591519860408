// The options that rnclab's subcommands have in common. Parsing fills in the struct, which must outlive the
// app.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "config/load.h"

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

// Every problem on a line of standard error.
void print_problems(const std::vector<config::Problem>& problems);

}  // namespace lab
