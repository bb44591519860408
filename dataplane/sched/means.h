// The mean rates A_i that the users of a cell got of late (001 section 6.2): A_i = (1 - alpha) A_i +
// alpha R_i in a slot that user i is given, (1 - alpha) A_i in any other. Lives inside its cell.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

// All means decay by the same factor, so that the factor is kept once: A_i = max(value_i * scale,
// kLeastMean). A slot changes the scale and one value, however many users there are. The values take the
// scale over when it has become small, which is once in ln(1e100) / alpha slots.
class MeanRates {
 public:
  // Bit/s. kFirstMean is A_i = 0+ of the paper, for one who is new; who gets nothing for so long that his
  // mean would be 0 keeps kLeastMean, so that every ratio is a number.
  static constexpr double kFirstMean = 1, kLeastMean = 1e-100;

  MeanRates(std::size_t places, double alpha) : values_(places, kFirstMean) { set_alpha(alpha); }

  // The means stay. Requires: 0 < alpha <= 1.
  void set_alpha(double alpha) noexcept {
    DP_EXPECT(alpha > 0 && alpha <= 1);
    alpha_ = alpha;
  }

  // These three are of one place. Requires: it is one of those that this was made for.
  // bit/s.
  double mean(CellPlace place) const noexcept {
    DP_EXPECT(place < values_.size());
    return std::max(values_[place] * scale_, kLeastMean);
  }
  void set(CellPlace place, double mean) noexcept {
    DP_EXPECT(place < values_.size());
    values_[place] = mean / scale_;
  }
  // A slot was given to that user, and carries `rate` bit/s.
  void count(CellPlace place, std::uint64_t rate) noexcept {
    DP_EXPECT(place < values_.size());
    decay(1 - alpha_);
    values_[place] += alpha_ * static_cast<double>(rate) / scale_;
  }
  // So many slots were given to nobody.
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
  std::vector<double> values_;  // by place
};

}  // namespace dp
