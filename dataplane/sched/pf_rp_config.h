// Settings and texts, for configuration and control, of `pf-rp`; the scheduler itself is sched/pf_rp.h.
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/sched/alpha.h"

namespace dp {

struct PfRatePrioritySpec {
  static constexpr std::string_view kName = "pf-rp";
  static constexpr std::string_view kDoc =
      "proportional fair, but short flows first where they lose no rate: what `pf-sp` chooses, unless "
      "that of `pf` carries more";

  struct Config {
    double alpha = kUsualAlpha;
    std::uint64_t rmin = 0;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        alpha_field(&Config::alpha),
        Field{"rmin", &Config::rmin, Unit::rate, std::uint64_t{0}, std::uint64_t{100'000'000'000},
              "mean rate below which the choice of `pf` is served whatever the rates are; 0: never",
              "R_min of 001 table 2, which gives no value"},
    };
    // clang-format on
  };
};

}  // namespace dp
