// Settings and texts, for configuration and control, of `sbd`; the policy itself is aqm/sbd.h.
// Tests: tests/unit/config/profiles_test.cc
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/gauge.h"
#include "dataplane/base/time.h"

namespace dp {

struct SbdSpec {
  static constexpr std::string_view kName = "sbd";
  static constexpr std::string_view kDoc =
      "drops when the occupancy grows faster than a slope that depends on what is left to maxth";

  struct Config {
    Amount minth{20};
    Amount maxth{40};
    Amount alpha{5};
    Duration t_r = std::chrono::milliseconds{200};
    Duration granularity{};
    bool ecn = false;
    constexpr std::optional<Conflict> conflict() const noexcept { return conflict_of(minth, maxth); }
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "occupancy below which growth is free", "002 Table 3"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy never to be reached; the papers' is the buffer's limit", "002 section 4"},
        Field{"alpha", &Config::alpha, Unit::sdus, Amount{1}, Amount{1'000},
              "growth after which the slope is judged", "002 section 4"},
        Field{"t_r", &Config::t_r, Unit::duration, Duration{1'000'000}, Duration{60'000'000'000},
              "T_r: time from a drop to the source's reaction; no other drop in it", "002 Table 3"},
        Field{"granularity", &Config::granularity, Unit::duration, Duration{0}, Duration{1'000'000'000},
              "timers end at multiples of this, such as a TTI; 0: exactly", "002 section 3"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
    // clang-format on
  };
};

}  // namespace dp
