#include "tests/support/test_runtime.h"

#include "dataplane/worker/worker.h"

namespace dp::test {

struct TestRuntime::Engine {
  Worker<SteadyClock, LockedIo> worker;
};

TestRuntime::TestRuntime(std::uint32_t max_bearers)
    : engine_(new Engine{{clock_, io, *shared_, WorkerLimits{.max_bearers = max_bearers}}}),
      thread_([this] { poll(); }) {}

TestRuntime::~TestRuntime() { stop(); }

void TestRuntime::poll() {
  while (!stop_) {
    if (stalled_ || !engine_->worker.poll_once()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace dp::test
