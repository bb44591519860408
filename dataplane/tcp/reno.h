// Classic Reno: fast retransmit and fast recovery, which the first new ACK ends (RFC 2001).
#pragma once
#include <string_view>

#include "dataplane/tcp/reno_growth.h"

namespace dp {

class Reno : public RenoGrowth {
 public:
  static constexpr std::string_view kName = "reno";
  static constexpr std::string_view kDoc = "fast recovery that repairs one loss a window";
  static constexpr Recovery kRecovery = Recovery::reno;
  struct Config : RenoGrowth::Config {
    friend bool operator==(const Config&, const Config&) = default;
  };
  using RenoGrowth::RenoGrowth;
};

}  // namespace dp
