// From the command line to everything that is needed to start, checked; or to the code rncd leaves with.
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
  std::string file;             // for reloading
  config::Overrides overrides;  // the same again
  Instance instance;
  std::optional<Instance> read_only;  // of the read-only socket
  std::optional<SavedState> saved;    // to be taken up; `config` is what ran then
  config::Config from_file;           // as it was read

  // Removes what this process has in the file system.
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

// Says why rncd cannot go on; answers the code to leave with.
int fail(const dp::Error& error);

}  // namespace control
