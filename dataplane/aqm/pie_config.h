// Settings and texts, for configuration and control, of `pie`; the policy itself is aqm/pie.h.
#pragma once
#include <chrono>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct PieSpec {
  static constexpr std::string_view kName = "pie";
  static constexpr std::string_view kDoc =
      "drops arriving SDUs with a probability that holds the queue's delay, by its bytes and the rate, at "
      "target";

  struct Config {
    Duration target = std::chrono::milliseconds{15};
    Duration t_update = std::chrono::milliseconds{15};
    double alpha = 0.125;
    double beta = 1.25;
    Duration max_burst = std::chrono::milliseconds{150};
    bool derandomise = true;
    bool ecn = false;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"target", &Config::target, Unit::duration, Duration{100'000}, Duration{10'000'000'000},
              "delay of the queue that is aimed at", "RFC 8033 section 4.2"},
        Field{"t_update", &Config::t_update, Unit::duration, Duration{1'000'000}, Duration{1'000'000'000},
              "time from one look at the delay to the next", "RFC 8033 section 4.2"},
        Field{"alpha", &Config::alpha, Unit::number, 0.0, 100.0,
              "change of the probability for a second beyond the target", "RFC 8033 section 4.2"},
        Field{"beta", &Config::beta, Unit::number, 0.0, 100.0,
              "change of the probability for a second's growth since the last look", "RFC 8033 section 4.2"},
        Field{"max_burst", &Config::max_burst, Unit::duration, Duration{0}, Duration{10'000'000'000},
              "how long the first burst of an idle queue is let through", "RFC 8033 section 4.4"},
        Field{"derandomise", &Config::derandomise, "keep drops from being very near or very far apart",
              "RFC 8033 section 5.4"},
        Field{"ecn", &Config::ecn,
              "mark ECN-capable packets instead of dropping them while the probability is below 10%",
              "RFC 8033 section 5.1"},
    };
    // clang-format on
  };
};

}  // namespace dp
