// NewReno: partial ACKs keep fast recovery going, a hole a round trip (RFC 6582).
#pragma once
#include <string_view>

#include "dataplane/tcp/reno_growth.h"

namespace dp {

class NewReno : public RenoGrowth {
 public:
  static constexpr std::string_view kName = "newreno";
  static constexpr std::string_view kDoc = "fast recovery that repairs one loss a round trip";
  static constexpr Recovery kRecovery = Recovery::newreno;
  struct Config : RenoGrowth::Config {
    friend bool operator==(const Config&, const Config&) = default;
  };
  using RenoGrowth::RenoGrowth;
};

}  // namespace dp
