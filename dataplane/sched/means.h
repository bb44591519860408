// The recent mean rates A_i of the users of a cell (001 section 6.2): A_i = (1 - alpha) A_i + alpha R_i in a
// slot that user i is given, (1 - alpha) A_i in any other. Lives inside its cell.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

// All means decay by one factor, which is stored once: A_i = max(value_i * scale, kLeastMean). A slot changes
// the scale and one value, for any number of users. The values are rescaled when the scale has become small,
// once in ln(1e100) / alpha slots.
class MeanRates {
 public:
  // Bit/s. kFirstMean is A_i = 0+ of the paper, for a new user; kLeastMean is the minimum, so that every
  // ratio is finite.
  static constexpr double kFirstMean = 1, kLeastMean = 1e-100;

  MeanRates(std::size_t indices, double alpha) : values_(indices, kFirstMean) { set_alpha(alpha); }

  // Keeps the means. Requires: 0 < alpha <= 1.
  void set_alpha(double alpha) noexcept {
    DP_EXPECT(alpha > 0 && alpha <= 1);
    alpha_ = alpha;
  }

  // Requires, for the next three functions: `index` is one of those given at construction. Bit/s.
  double mean(MemberIndex index) const noexcept {
    DP_EXPECT(index < values_.size());
    return std::max(values_[index] * scale_, kLeastMean);
  }
  void set(MemberIndex index, double mean) noexcept {
    DP_EXPECT(index < values_.size());
    values_[index] = mean / scale_;
  }
  // Counts a slot granted to that user, which carries `rate` bit/s.
  void count(MemberIndex index, std::uint64_t rate) noexcept {
    DP_EXPECT(index < values_.size());
    decay(1 - alpha_);
    values_[index] += alpha_ * static_cast<double>(rate) / scale_;
  }
  // Counts slots granted to no user.
  void pass(std::uint64_t slots) noexcept { decay(std::pow(1 - alpha_, static_cast<double>(slots))); }

 private:
  static constexpr double kSmallScale = 1e-100;

  void decay(double by) noexcept {
    scale_ *= by;
    if (scale_ >= kSmallScale) return;
    for (double& value : values_) value = std::max(value * scale_, kLeastMean);
    scale_ = 1;
  }

  double alpha_ = 1;
  double scale_ = 1;            // kSmallScale to 1
  std::vector<double> values_;  // by index
};

}  // namespace dp
