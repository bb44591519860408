// The control thread: everything between a data plane that runs and rncd's exit code.
#pragma once
#include "control/host/successor.h"
#include "control/startup.h"
#include "dataplane/worker/runtime.h"

namespace control {

// Returns after SIGTERM or SIGINT, for the successor that was chosen, or when it cannot go on; the workers
// have stopped then.
int run(dp::Runtime& runtime, Ready& ready, Successor& successor);

}  // namespace control
