// `rnclab trace`: one run of a scenario, event by event.
#pragma once
#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include "tools/lab/options.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

struct TraceOptions : CommonOptions {
  std::string file;
  std::string csv;
};

void add_trace_options(CLI::App& app, TraceOptions& options);

// Returns the exit code.
int run_trace(const TraceOptions& options, const std::string& version);

// The name of a scenario's pictures.
std::string picture_name(const std::string& file);

}  // namespace lab
