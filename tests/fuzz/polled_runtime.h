// The data plane for a fuzz target of control: a worker over memory that the target's own thread polls, so
// that an input does the same each time. It owns the worker.
#pragma once
#include <memory>
#include <string>

#include "dataplane/base/time.h"
#include "dataplane/worker/runtime.h"
#include "tests/support/frames.h"

namespace dp::test {

class PolledRuntime final : public Runtime {
 public:
  explicit PolledRuntime(std::uint32_t max_bearers);
  ~PolledRuntime() override;

  // A millisecond passes, with a frame for a UE that has a bearer.
  void poll();

  std::size_t workers() const override { return 1; }
  WorkerShared& shared(std::size_t) override { return *shared_; }
  PortReport port(Side) const override { return {"memory", "memory", "", 1514}; }
  PortLosses losses(Side) const override { return {}; }
  bool carrier_up(Side) const override { return true; }
  PoolReport pool() const override { return {}; }
  double cycles_per_ns() const override { return 1.0; }
  Time now() const override;
  dp::Status open() override { return dp::ok(); }
  bool running() const override { return true; }
  void stop() override {}

 private:
  struct Engine;

  std::unique_ptr<WorkerShared> shared_ = std::make_unique<WorkerShared>();
  std::unique_ptr<Engine> engine_;
};

}  // namespace dp::test
