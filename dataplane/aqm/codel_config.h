// Settings and texts, for configuration and control, of `codel`, and of CoDel in `fq-codel`; the policy
// itself is aqm/codel.h.
#pragma once
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

// The common settings of codel and fq-codel.
struct CodelSettings {
  Duration target = std::chrono::milliseconds{5};
  Duration interval = std::chrono::milliseconds{100};
  std::uint32_t mtu = 1500;
  bool ecn = false;
  friend bool operator==(const CodelSettings&, const CodelSettings&) = default;

  // clang-format off
  static constexpr FieldTable kFields{
      Field{"target", &CodelSettings::target, Unit::duration, Duration{100'000}, Duration{10'000'000'000},
            "time that an SDU may stand in the queue", "RFC 8289 section 4.3"},
      Field{"interval", &CodelSettings::interval, Unit::duration, Duration{1'000'000},
            Duration{60'000'000'000},
            "how long they may stand longer before the first drop: the round trip of most flows",
            "RFC 8289 section 4.3"},
      Field{"mtu", &CodelSettings::mtu, Unit::bytes, 64u, 65'536u,
            "no drop while no more than this stands behind the SDU", "RFC 8289 section 5.4"},
      Field{"ecn", &CodelSettings::ecn, "mark ECN-capable packets instead of dropping them", "RFC 3168"},
  };
  // clang-format on
};

struct CodelSpec {
  static constexpr std::string_view kName = "codel";
  static constexpr std::string_view kDoc =
      "drops at the front when SDUs stand in the queue too long, by how long the first did";
  struct Config : CodelSettings {
    friend bool operator==(const Config&, const Config&) = default;
  };
};

}  // namespace dp
