#include <optional>

#include "control/daemon.h"
#include "control/host/successor.h"
#include "control/loop/log.h"
#include "control/startup.h"
#include "dataplane/dpdk/start.h"

namespace {

int run(int argc, char** argv, control::Successor& successor) {
  control::StartUp start = control::start_up(argc, argv);
  if (!start.ready) return start.exit_code;
  const auto runtime = dp::dpdk::start(start.ready->settings);
  if (!runtime) {
    start.ready->leave();
    return control::fail(runtime.error());
  }
  return control::run(**runtime, *start.ready, successor);
}

}  // namespace

int main(int argc, char** argv) {
  control::Successor successor(argc, argv);
  std::optional<control::log::Session> log(std::in_place);
  const int code = run(argc, argv, successor);
  if (!successor.left()) return code;
  log.reset();  // its thread ends with this program
  return control::fail(successor.become());
}
