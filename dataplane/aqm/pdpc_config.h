// Settings and texts, for configuration and control, of `pdpc`; the policy itself is aqm/pdpc.h.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/gauge.h"

namespace dp {

struct PdpcSpec {
  static constexpr std::string_view kName = "pdpc";
  static constexpr std::string_view kDoc =
      "one drop when the occupancy reaches maxth, then none until that much was delivered";
  enum class Form : std::uint8_t { one_threshold, two_thresholds };
  static constexpr std::array<std::string_view, 2> kForms{"one-threshold", "two-thresholds"};

  struct Config {
    Form form = Form::one_threshold;
    Amount minth{10};
    Amount maxth{30};
    std::uint32_t counter = 20;
    bool ecn = false;
    constexpr std::optional<Conflict> conflict() const noexcept {
      if (form == Form::one_threshold) return std::nullopt;  // has no minth
      return conflict_of(minth, maxth);
    }
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"form", &Config::form, kForms,
              "one-threshold as 000 has it, the counter being the bytes queued at the drop; or the original "
              "with two, the counter being a number of SDUs", "000 Fig. 3; WCNC 2003"},
        Field{"minth", &Config::minth, Unit::sdus, Amount{0}, Amount{1'000'000},
              "two-thresholds: below it none is dropped, whatever the counter says", "WCNC 2003"},
        Field{"maxth", &Config::maxth, Unit::sdus, Amount{1}, Amount{1'000'000},
              "occupancy that calls for a drop; in the original form: for one with each SDU", "000 Table 2"},
        Field{"counter", &Config::counter, Unit::count, 1u, 1'000'000u,
              "two-thresholds: SDUs that pass after a drop", "WCNC 2003"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
    // clang-format on
  };
};

}  // namespace dp
