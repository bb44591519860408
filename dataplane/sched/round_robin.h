// Round robin: users take turns. A user that returns, or had no rate at its turn, gets the next slot, and is
// then last.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/sched/round_robin_config.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class RoundRobin : public RoundRobinSpec {
 public:
  explicit RoundRobin(const Config&) noexcept {}

  // The lowest index of users without a slot so far.
  std::size_t choose(std::span<const SlotUser> users) const noexcept {
    DP_EXPECT(!users.empty());
    std::size_t best = 0;
    for (std::size_t i = 1; i < users.size(); ++i) {
      if (users[i].served < users[best].served) best = i;
    }
    return best;
  }
};

}  // namespace dp
