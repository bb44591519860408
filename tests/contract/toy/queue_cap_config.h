// The part of the toy `queue-cap` that configuration and control know; the policy itself is queue_cap.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/fields.h"

namespace dp {

struct QueueCapSpec {
  static constexpr std::string_view kName = "queue-cap";
  static constexpr std::string_view kDoc = "drops arriving SDUs while so many wait";
  struct Config {
    std::uint32_t most = 25;
    std::uint32_t urgent = 35;
    bool ecn = false;
    constexpr std::optional<Conflict> conflict() const noexcept {
      return most < urgent ? std::nullopt : std::optional(Conflict{"most", "urgent"});
    }
    friend bool operator==(const Config&, const Config&) = default;
    static constexpr FieldTable kFields{
        Field{"most", &Config::most, Unit::sdus, 15u, 1000u, "SDUs that may wait", "a toy"},
        Field{"urgent", &Config::urgent, Unit::sdus, 16u, 1001u, "from so many on marks do not help",
              "a toy"},
        Field{"ecn", &Config::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
    };
  };
};

}  // namespace dp
