// From the command line to everything that is needed to start, checked; or to rncd's exit code.
#pragma once
#include <optional>
#include <string>

#include "config/load.h"
#include "control/host/instance.h"
#include "control/state/saved_state.h"
#include "dataplane/dpdk/start.h"

namespace control {

struct Ready {
  config::Config config;
  dp::dpdk::Settings settings;
  std::string file;             // the path of the configuration, for reloading
  config::Overrides overrides;  // for reloading, too
  Instance instance;
  std::optional<Instance> read_only;  // for the read-only socket
  std::optional<SavedState> saved;    // to be taken up; `config` is the configuration that ran then
  config::Config from_file;           // the configuration as it was read

  // Removes the files of this process.
  void leave() {
    if (read_only) read_only->leave();
    instance.leave();
  }
};

struct StartUp {
  std::optional<Ready> ready;
  int exit_code = 0;
};
StartUp start_up(int argc, char** argv);

// Logs the reason why rncd cannot go on; returns the exit code.
int fail(const dp::Error& error);

}  // namespace control
