// SACK: Reno's window with recovery by scoreboard and pipe (RFC 6675).
#pragma once
#include <string_view>

#include "dataplane/tcp/reno_growth.h"

namespace dp {

class SackReno : public RenoGrowth {
 public:
  static constexpr std::string_view kName = "sack";
  static constexpr std::string_view kDoc =
      "selective acknowledgements repair all losses of a window in a round trip or two";
  static constexpr Recovery kRecovery = Recovery::sack;
  struct Config : RenoGrowth::Config {
    friend bool operator==(const Config&, const Config&) = default;
  };
  using RenoGrowth::RenoGrowth;
};

}  // namespace dp
