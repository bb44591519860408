#include "control/daemon.h"
#include "control/loop/log.h"
#include "control/startup.h"
#include "dataplane/dpdk/start.h"

int main(int argc, char** argv) {
  const control::log::Session log;
  control::StartUp start = control::start_up(argc, argv);
  if (!start.ready) return start.exit_code;
  const auto runtime = dp::dpdk::start(start.ready->settings);
  if (!runtime) {
    start.ready->leave();
    return control::fail(runtime.error());
  }
  return control::run(**runtime, *start.ready);
}
