// The part of the toy `later` that configuration and control know; the stage itself is later.h.
#pragma once
#include <array>
#include <chrono>
#include <string_view>

#include "dataplane/ack/stages/exclusion.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct LaterSpec {
  static constexpr std::string_view kName = "later";
  static constexpr std::string_view kDoc = "holds each ACK for a while";
  static constexpr std::string_view kBypass = "safe: a toy";
  static constexpr std::string_view kAsymmetric = "nothing to a toy";
  static constexpr std::array kExcludes{AckExclusion{"ack-rate", "a toy wants the ACKs for itself"}};
  struct Config {
    Duration by = std::chrono::milliseconds{20};
    bool off = false;
    friend bool operator==(const Config&, const Config&) = default;
    static constexpr FieldTable kFields{
        Field{"by", &Config::by, Unit::duration, Duration{1'000'000}, Duration{1'000'000'000},
              "how long each waits", "a toy"},
        Field{"off", &Config::off, "let all pass", "a toy"},
    };
  };
};

}  // namespace dp
