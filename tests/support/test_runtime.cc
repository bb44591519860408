#include "tests/support/test_runtime.h"

#include <deque>

#include "dataplane/mesh/peers.h"
#include "dataplane/worker/worker.h"

namespace dp::test {

struct TestRuntime::Engine {
  Worker<SteadyClock, LockedIo> worker;
};

// Each port has one queue, of another worker.
struct TestRuntime::Hallway {
  explicit Hallway(unsigned workers) : mesh(workers, {1, 1}) {
    for (unsigned w = 0; w < workers; ++w) ends.emplace_back(mesh, w);
  }
  Mesh mesh;
  std::deque<Peers> ends;
};

TestRuntime::TestRuntime(std::uint32_t max_bearers, unsigned workers) {
  if (workers > 1) hallway_ = std::make_unique<Hallway>(workers);
  for (unsigned w = 0; w < workers; ++w) {
    WorkerLimits limits{.max_bearers = max_bearers};
    if (hallway_ != nullptr) limits.peers = &hallway_->ends[w];
    shared_.push_back(std::make_unique<WorkerShared>());
    engines_.emplace_back(new Engine{{clock_, io, *shared_.back(), limits}});
  }
  for (unsigned w = 0; w < workers; ++w) threads_.emplace_back([this, w] { poll(w); });
}

TestRuntime::~TestRuntime() { stop(); }

void TestRuntime::poll(unsigned worker) {
  while (!stop_) {
    const unsigned stalled = stalled_;
    const bool polls = stalled != kAll && stalled != worker;
    if (!polls || !engines_[worker]->worker.poll_once())
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace dp::test
