// PF with short flow priority (001 section 6.2.2, table 2): of the users who have a short flow's SDU to send
// the slot is his whose rate is highest, and that of PF where nobody has one.
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/sched/pf.h"
#include "dataplane/sched/pf_sp_config.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class PfShortPriority : public PfShortPrioritySpec {
 public:
  explicit PfShortPriority(const Config&) noexcept {}

  // Rates are discrete and equal ones usual: of these the highest ratio, then the lowest place.
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
