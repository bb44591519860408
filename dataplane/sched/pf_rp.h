// PF with rate priority (001 section 6.2.3, table 2): PF-SP's choice, unless the slot carries more to PF's
// choice, or that user's mean rate is too low.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/sched/pf.h"
#include "dataplane/sched/pf_rp_config.h"
#include "dataplane/sched/pf_sp.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class PfRatePriority : public PfRatePrioritySpec {
 public:
  explicit PfRatePriority(const Config& config) noexcept : rmin_(static_cast<double>(config.rmin)) {}

  // The table prints R_i < R_min, but the text requires A_i < R_min; this follows the text.
  std::size_t choose(std::span<const SlotUser> users) const noexcept {
    DP_EXPECT(!users.empty());
    const std::size_t i = ProportionalFair({}).choose(users);
    const std::size_t j = PfShortPriority({}).choose(users);
    return users[i].rate > users[j].rate || users[i].mean < rmin_ ? i : j;
  }

 private:
  double rmin_;  // bit/s
};

}  // namespace dp
