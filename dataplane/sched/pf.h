// Proportional fair scheduling (001 section 6.2): the slot is his whose channel is best in proportion to what
// he has got of late.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/fields.h"
#include "dataplane/sched/pf_config.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

class ProportionalFair : public ProportionalFairSpec {
 public:
  ProportionalFair(const Config& config, std::size_t users)
      : alpha_(config.alpha), means_(users, kFirstMean) {}

  // The lowest number of equals.
  std::size_t choose(std::span<const SlotUser> users) noexcept {
    DP_EXPECT(users.size() == means_.size());
    std::size_t best = users.size();
    double highest = -1;
    for (std::size_t i = 0; i < users.size(); ++i) {
      const double ratio = static_cast<double>(users[i].rate) / means_[i];
      if (!users[i].backlogged || ratio <= highest) continue;
      best = i;
      highest = ratio;
    }
    DP_EXPECT(best < users.size());
    for (double& mean : means_) mean = std::max(mean * (1 - alpha_), kLeastMean);
    means_[best] += alpha_ * static_cast<double>(users[best].rate);
    return best;
  }
  // Who gets nothing for so long that the mean would be 0 is as a new one.
  void pass(std::uint64_t slots) noexcept {
    const double left = std::pow(1 - alpha_, static_cast<double>(slots));
    for (double& mean : means_) mean = std::max(mean * left, kLeastMean);
  }

  // Requires: there is such a user.
  double mean(std::size_t user) const noexcept {
    DP_EXPECT(user < means_.size());
    return means_[user];
  }

 private:
  static constexpr double kFirstMean = 1, kLeastMean = 1e-100;  // bit/s

  double alpha_;
  std::vector<double> means_;  // A_i, bit/s
};

}  // namespace dp
