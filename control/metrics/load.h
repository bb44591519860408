// How busy the workers are, over the last second: sampled by the control thread once a second, so that it
// does not depend on who asks and how often.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/worker/runtime.h"
#include "dataplane/worker/snapshot.h"

namespace control {

struct WorkerLoad {
  double busy_ratio = 0;         // of the time, spent in polls that did something
  double cycles_per_packet = 0;  // busy cycles a frame received, in the last second in which any came
  bool polling = true;           // false: it has not polled once since the sample before
  std::optional<std::uint64_t> stolen_ns{};  // since its thread began, without a CPU (stolen_time.h)
};

class LoadSampler {
 public:
  // The first sample is over the time since start.
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
  // Once a second, from a second after the start on: before that nobody is surprised.
  void sample(const std::vector<WorkerLoad>& load);

 private:
  std::vector<bool> silent_;  // told, by worker
};

}  // namespace control
