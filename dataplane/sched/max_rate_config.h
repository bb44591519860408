// Settings and texts, for configuration and control, of `max-rate`; the scheduler itself is sched/max_rate.h.
#pragma once
#include <string_view>

#include "dataplane/sched/alpha.h"

namespace dp {

struct MaxRateSpec {
  static constexpr std::string_view kName = "max-rate";
  static constexpr std::string_view kDoc =
      "the highest rate of the slot; of equals the one that was given a slot longest ago";

  struct Config {
    double alpha = kUsualAlpha;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        alpha_field(&Config::alpha),
    };
    // clang-format on
  };
};

}  // namespace dp
