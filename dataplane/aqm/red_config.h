// Settings and texts, for configuration and control, of `red`; the policy itself is aqm/red.h.
// Tests: tests/unit/config/profiles_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/gauge.h"

namespace dp {

struct RedSpec {
  static constexpr std::string_view kName = "red";
  static constexpr std::string_view kDoc =
      "drops with a probability that rises from 0 at minth to maxp at maxth, by the occupancy as it is, "
      "or its average";
  enum class DropFrom : std::uint8_t { front, arriving };
  static constexpr std::array<std::string_view, 2> kDropFromNames{"front", "arriving"};

  struct Config {
    Amount minth{20};
    Amount maxth{40};
    double maxp = 0.05;
    bool count = true;
    bool gentle = false;
    DropFrom victim = DropFrom::front;
    bool ecn = false;
    double weight = 1;  // last: with the default it is never read
    constexpr std::optional<Conflict> conflict() const noexcept { return conflict_of(minth, maxth); }
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "occupancy from which SDUs are dropped", "002 Table 5"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy from which all are dropped, or with `gentle` ever more; the papers' is the buffer's "
              "limit", "002 section 4"},
        Field{"maxp", &Config::maxp, Unit::ratio, 0.0, 1.0,
              "probability at maxth", "002 Table 5"},
        Field{"weight", &Config::weight, Unit::number, 0.0001, 1.0,
              "of an arrival in the average of the occupancy, w_q: each moves the average so much of the way to "
              "the occupancy that it finds, itself counted; 1: the occupancy as it is",
              "Floyd and Jacobson 1993 section 4"},
        Field{"count", &Config::count,
              "space drops evenly: the probability rises with the SDUs since the last one",
              "Floyd and Jacobson 1993 section 4"},
        Field{"gentle", &Config::gentle,
              "above maxth the probability rises from maxp to 1 at twice maxth", "Floyd 2000"},
        Field{"victim", &Config::victim, kDropFromNames,
              "who is dropped: the first SDU whose transmission has not started, or the one arriving",
              "002 section 3 (of SBD); open for RED"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
    // clang-format on
  };
};

}  // namespace dp
