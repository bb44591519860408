// `rnclab paper`: an experiment, simulated and held against what a paper printed or somebody has measured.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/lab/options.h"

namespace lab {

struct PaperOptions : CommonOptions {
  std::string name;
  std::vector<std::string> rows;
  std::string part;
  std::optional<double> seconds;  // of `--part` only, as is the next
  bool brief = false;
  bool paths = false;             // of paper linux only, as is the next
  std::vector<std::string> also;  // further settings of low-delay
  bool list = false;
};

void add_paper_options(CLI::App& app, PaperOptions& options);

// Answers the exit code.
int run_paper(const PaperOptions& options, const std::string& version);

}  // namespace lab
