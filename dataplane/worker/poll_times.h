// The time that a worker spends in polls with and without work. Owned by the worker.
// Tests: tests/unit/worker/worker_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/time.h"
#include "dataplane/worker/snapshot.h"

namespace dp {

class PollTimes {
 public:
  explicit PollTimes(Time now) noexcept : last_(now) {}

  // A poll begins: the time since the last one counts as busy if that did any work.
  void begin(Time now) noexcept {
    const auto spent = static_cast<std::uint64_t>((now - last_).count());
    last_ = now;
    ++polls_;
    if (busy_) {
      ++busy_polls_;
      busy_ns_ += spent;
    } else {
      idle_ns_ += spent;
    }
  }
  void end(bool busy) noexcept { busy_ = busy; }
  // True if the last poll that has ended did any work.
  bool busy() const noexcept { return busy_; }

  void write_to(WorkerCounters& counters) const noexcept {
    counters.polls = polls_;
    counters.busy_polls = busy_polls_;
    counters.busy_ns = busy_ns_;
    counters.idle_ns = idle_ns_;
  }

 private:
  Time last_;
  std::uint64_t polls_ = 0, busy_polls_ = 0, busy_ns_ = 0, idle_ns_ = 0;
  bool busy_ = false;
};

}  // namespace dp
