// Proportional fair scheduling (001 section 6.2): the slot goes to the user whose channel is best relative to
// its recent mean rate.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/sched/pf_config.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class ProportionalFair : public ProportionalFairSpec {
 public:
  explicit ProportionalFair(const Config&) noexcept {}

  // The lowest index of equal users.
  std::size_t choose(std::span<const SlotUser> users) const noexcept {
    DP_EXPECT(!users.empty());
    std::size_t best = 0;
    for (std::size_t i = 1; i < users.size(); ++i) {
      if (users[i].ratio > users[best].ratio) best = i;
    }
    return best;
  }
};

}  // namespace dp
