// The exit codes of rncd.
#pragma once

namespace control {

enum ExitCode : int {
  kExitOk = 0,
  kExitRuntime = 1,
  kExitUsage = 2,
  kExitConfig = 3,
  kExitHardware = 4,
  kExitPermission = 5,
  kExitRunning = 6,  // another rncd holds the instance lock or an interface
  kExitEal = 7,
};

}  // namespace control
