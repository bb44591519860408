#include <filesystem>
#include <iostream>
#include <optional>

#include <malloc.h>
#include <sys/prctl.h>

#include "config/notation/visible_output.h"
#include "control/daemon.h"
#include "control/host/successor.h"
#include "control/loop/log.h"
#include "control/startup.h"
#include "dataplane/base/standard_files.h"
#include "dataplane/dpdk/start.h"

namespace {

// Sets up the C library's heap. Large parts of bearers are given back one by one: by default it would soon
// take them from the heap, and give back gigabytes in the call that frees the last. All threads share one
// heap, which keeps up to 1 MiB that is free: for a heap of a thread's own it would reserve 64 MiB of
// addresses, and if the system refuses these it would take a page for each object of that thread.
void set_up_heap() {
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

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

// Restores the name of an rncd that has executed itself anew by /proc/self/exe (successor.h), which would be
// "exe".
void keep_name(int argc, char** argv) {
  if (argc > 0) ::prctl(PR_SET_NAME, std::filesystem::path(argv[0]).filename().c_str());
}

}  // namespace

int main(int argc, char** argv) {
  dp::open_standard_files();
  keep_name(argc, argv);
  const config::VisibleOutput output(std::cout), errors(std::cerr);
  set_up_heap();
  control::Successor successor(argc, argv);
  std::optional<control::log::Session> log(std::in_place);
  const int code = run(argc, argv, successor);
  if (!successor.left()) return code;
  log.reset();  // its thread ends with this program
  return control::fail(successor.become());
}
