// `rnclab paper`: a paper's rows, simulated and held against what it printed.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dataplane/base/result.h"
#include "tools/lab/figures/json.h"
#include "tools/lab/options.h"
#include "tools/lab/scenario/scenario.h"

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

// What a run is of. `first`: of its scenarios; `runs`: if the user gives no number.
RunSetting setting_of(const PaperOptions& options, std::string_view name, const Scenario& first,
                      std::uint32_t runs, const std::string& version);
// Says it; answers its exit code.
int fail(const dp::Error& error);

// Answers the exit code.
int run_paper(const PaperOptions& options, const std::string& version);

}  // namespace lab
