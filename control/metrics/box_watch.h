// Troubles of the whole box over the last ten seconds, which slow all its bearers: frames that ports dropped,
// and workers without a CPU. The control thread samples it once a second.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "control/metrics/load.h"
#include "control/plane/balancer.h"
#include "dataplane/worker/runtime.h"

namespace control {

class BoxWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // To be called once a second; samples the workers' load too.
  void sample(dp::Runtime& runtime, Clock::time_point now);
  const std::vector<WorkerLoad>& load() const { return load_.load(); }
  BusyRatios busy_ratios() const;  // by worker, over the last second

  // Growth over the span of the samples; `seconds` is 0 before the second one.
  struct Reading {
    double seconds = 0;
    std::uint64_t received = 0;
    // Frames that ports could not send or take, and those dropped because a port, a worker or the pool was
    // full.
    std::uint64_t dropped_at_ports = 0;
    std::uint64_t missed = 0;            // frames that came while a worker did not poll
    std::vector<double> stolen_ratio{};  // by worker: the share of the time in which it had no CPU

    // From one frame in a thousand on. A worker without its CPU explains frames that were missed.
    bool port_drops(std::size_t worker) const {
      return (dropped_at_ports + (starved(worker) ? 0 : missed)) * 1000 > received;
    }
    // From 70 % of the time on: with less, TCP still fills a bearer.
    bool starved(std::size_t worker) const {
      return worker < stolen_ratio.size() && stolen_ratio[worker] >= 0.7;
    }
  };
  Reading read() const;

 private:
  static constexpr std::size_t kSamples = 11;

  struct Sample {
    Clock::time_point at;
    std::uint64_t received = 0, dropped = 0, missed = 0;
    std::vector<std::uint64_t> stolen_ns{};
  };
  LoadSampler load_;
  std::deque<Sample> samples_;
};

}  // namespace control
