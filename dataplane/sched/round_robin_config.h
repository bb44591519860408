// Settings and texts, for configuration and control, of `round-robin`; the scheduler itself is
// sched/round_robin.h.
#pragma once
#include <string_view>

#include "dataplane/sched/alpha.h"

namespace dp {

struct RoundRobinSpec {
  static constexpr std::string_view kName = "round-robin";
  static constexpr std::string_view kDoc = "one after the other: the user that was given a slot longest ago";

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
