// Settings and texts, for configuration and control, of `pf`; the scheduler itself is sched/pf.h.
#pragma once
#include <string_view>

#include "dataplane/sched/alpha.h"

namespace dp {

struct ProportionalFairSpec {
  static constexpr std::string_view kName = "pf";
  static constexpr std::string_view kDoc =
      "proportional fair: the highest ratio of the slot's rate to the mean rate of late";

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
