// The assignment of a port's queues to workers. Pure.
// Tests: tests/unit/dpdk/ue_steering_test.cc
#pragma once
#include <array>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"

namespace dp {

class QueueMap {
 public:
  // `queues`: the number of each port's queues, by Side. Requires: from one to as many as there are workers.
  QueueMap(unsigned workers, const std::array<unsigned, 2>& queues) : workers_(workers), queues_(queues) {
    DP_EXPECT(workers > 0);
    for (const unsigned n : queues) DP_EXPECT(n > 0 && n <= workers);
  }

  unsigned workers() const noexcept { return workers_; }
  unsigned queues(Side side) const noexcept { return queues_[index(side)]; }

  // The queue of that port which the worker receives from and sends by. With fewer queues than workers the
  // ports' queues go to different workers, as long as there are some.
  std::optional<unsigned> queue_of(Side side, unsigned worker) const noexcept {
    for (unsigned queue = 0; queue < queues_[index(side)]; ++queue) {
      if (worker_of(side, queue) == worker) return queue;
    }
    return std::nullopt;
  }
  // The queue by which the worker's frames leave, and by which they should come: its own, or that of the
  // worker that sends for it.
  unsigned queue_for(Side side, unsigned worker) const noexcept {
    return queue_of(side, worker).value_or(worker % queues_[index(side)]);
  }
  // The worker that sends for `worker` by that port: itself if it has a queue of it.
  unsigned sender_for(Side side, unsigned worker) const noexcept {
    return worker_of(side, queue_for(side, worker));
  }

 private:
  unsigned worker_of(Side side, unsigned queue) const noexcept {
    const bool one_each = queues_[index(side)] == workers_;
    return one_each ? queue : (queue + static_cast<unsigned>(index(side))) % workers_;
  }

  unsigned workers_;
  std::array<unsigned, 2> queues_;
};

}  // namespace dp
