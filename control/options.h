// The command line of rncd.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/load.h"
#include "control/host/exit_code.h"

namespace control {

struct Options {
  std::string config = "/etc/rncd/rncd.yaml";
  bool check = false;
  bool preflight = false;
  std::optional<std::string> restore;      // a saved state's file; empty: control.state
  config::Overrides overrides;             // --set and --log-level, in their order
  std::optional<std::string> help_config;  // the section, empty for all
};

// The options of the command line, or the exit code after its answer was printed.
struct ParsedOptions {
  std::optional<Options> options;
  int exit_code = kExitOk;
};
ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace control
