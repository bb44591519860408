// `rnclab paper`: simulates an experiment and compares it with figures that were printed in a paper or
// measured.
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
  std::optional<double> seconds;  // for `--part` only, like `brief`
  bool brief = false;
  bool paths = false;             // for paper linux only, like `also`
  std::vector<std::string> also;  // further settings of low-delay
  bool list = false;
};

void add_paper_options(CLI::App& app, PaperOptions& options);

// Returns the exit code.
int run_paper(const PaperOptions& options, const std::string& version);

}  // namespace lab
