#include "tests/fuzz/polled_runtime.h"

#include "dataplane/worker/worker.h"
#include "tests/support/test_runtime.h"

namespace dp::test {

struct PolledRuntime::Engine {
  ManualClock clock{time_ns(1'000'000)};
  LockedIo io;
  Worker<ManualClock, LockedIo> worker;

  Engine(WorkerShared& shared, std::uint32_t max_bearers)
      : worker(clock, io, shared, WorkerLimits{.max_bearers = max_bearers}) {}
};

PolledRuntime::PolledRuntime(std::uint32_t max_bearers)
    : engine_(std::make_unique<Engine>(*shared_, max_bearers)) {}

PolledRuntime::~PolledRuntime() = default;

void PolledRuntime::poll() {
  engine_->clock.advance(Duration{1'000'000});
  engine_->io.offer(Side::core, {.dst = Ip("10.45.0.1"), .payload = 400});
  for (int polls = 0; polls < 100 && engine_->worker.poll_once(); ++polls) {
  }
}

Time PolledRuntime::now() const { return engine_->clock.now(); }

}  // namespace dp::test
