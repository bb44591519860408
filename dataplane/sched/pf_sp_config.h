// Settings and texts, for configuration and control, of `pf-sp`; the scheduler itself is sched/pf_sp.h.
#pragma once
#include <string_view>

#include "dataplane/sched/alpha.h"

namespace dp {

struct PfShortPrioritySpec {
  static constexpr std::string_view kName = "pf-sp";
  static constexpr std::string_view kDoc =
      "proportional fair, but short flows first: of the users whose next SDU is of a short flow, the highest "
      "rate";

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
