// PF with short flow priority (001 section 6.2.2, table 2): the slot goes to the user with the highest rate
// among those that have an SDU of a short flow to send; without such users to PF's choice.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/sched/pf.h"
#include "dataplane/sched/pf_sp_config.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class PfShortPriority : public PfShortPrioritySpec {
 public:
  explicit PfShortPriority(const Config&) noexcept {}

  // Rates are discrete, so equal ones are common: of these the highest ratio, then the lowest index.
  std::size_t choose(std::span<const SlotUser> users) const noexcept {
    DP_EXPECT(!users.empty());
    std::size_t best = users.size();
    for (std::size_t i = 0; i < users.size(); ++i) {
      if (users[i].short_flow && (best == users.size() || goes_before(users[i], users[best]))) best = i;
    }
    return best < users.size() ? best : ProportionalFair({}).choose(users);
  }

 private:
  static bool goes_before(const SlotUser& a, const SlotUser& b) noexcept {
    return a.rate != b.rate ? a.rate > b.rate : a.ratio > b.ratio;
  }
};

}  // namespace dp
