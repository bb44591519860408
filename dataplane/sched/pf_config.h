// What configuration and control know of `pf`; the scheduler itself is sched/pf.h.
#pragma once
#include <string_view>
#include <tuple>

#include "dataplane/base/fields.h"

namespace dp {

struct ProportionalFairSpec {
  static constexpr std::string_view kName = "pf";
  static constexpr std::string_view kDoc =
      "proportional fair: the highest ratio of the slot's rate to the mean rate of late";

  struct Config {
    double alpha = 0.001;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr std::tuple kFields{
        Field{"alpha", &Config::alpha, Unit::number, 0.000001, 1.0,
              "weight of a slot in the mean rate: 0.001 remembers some 1.67 s", "001 section 6.3"},
    };
    // clang-format on
  };
};

}  // namespace dp
