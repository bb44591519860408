// The load of the workers over the last second: sampled by the control thread once a second, so that it does
// not depend on its readers and on how often they read.
// Tests: tests/unit/control/metrics/metrics_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/worker/runtime.h"
#include "dataplane/worker/snapshot.h"

namespace control {

struct WorkerLoad {
  double busy_ratio = 0;         // fraction of the time spent in polls that did something
  double cycles_per_packet = 0;  // busy cycles per frame received, in the last second in which any came
  bool polling = true;           // false: it has not polled once since the sample before
  std::optional<std::uint64_t> stolen_ns{};  // time without a CPU since its thread began (stolen_time.h)
};

class LoadSampler {
 public:
  // Takes a sample of all workers; the first one is over the time since start.
  void sample(dp::Runtime& runtime);
  const std::vector<WorkerLoad>& load() const { return load_; }

 private:
  std::vector<dp::WorkerSnapshot> before_;
  std::vector<WorkerLoad> load_;
};

WorkerLoad load_between(const dp::WorkerSnapshot& before, const dp::WorkerSnapshot& after,
                        double cycles_per_ns, const WorkerLoad& last);

// Logs which workers have fallen silent, and which poll again.
class SilenceLog {
 public:
  // To be called once a second, from a second after the start on: before that silence is expected.
  void sample(const std::vector<WorkerLoad>& load);

 private:
  std::vector<bool> silent_;  // the state logged last, by worker
};

}  // namespace control
