// Maximum rate: the slot goes to the user with the highest rate, which maximises the cell's throughput and
// starves distant users. Rates are discrete, so equal ones are common: they take turns.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/sched/max_rate_config.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class MaxRate : public MaxRateSpec {
 public:
  explicit MaxRate(const Config&) noexcept {}

  // The lowest index of users with equal rates and no slot so far.
  std::size_t choose(std::span<const SlotUser> users) const noexcept {
    DP_EXPECT(!users.empty());
    std::size_t best = 0;
    for (std::size_t i = 1; i < users.size(); ++i) {
      if (goes_before(users[i], users[best])) best = i;
    }
    return best;
  }

 private:
  static bool goes_before(const SlotUser& a, const SlotUser& b) noexcept {
    return a.rate != b.rate ? a.rate > b.rate : a.served < b.served;
  }
};

}  // namespace dp
