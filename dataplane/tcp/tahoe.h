// Tahoe: three duplicate ACKs send it back to una and to slow start (Jacobson, SIGCOMM 1988).
#pragma once
#include <string_view>

#include "dataplane/tcp/reno_growth.h"

namespace dp {

class Tahoe : public RenoGrowth {
 public:
  static constexpr std::string_view kName = "tahoe";
  static constexpr std::string_view kDoc = "fast retransmit, then slow start from the lost segment";
  static constexpr Recovery kRecovery = Recovery::tahoe;
  struct Config : RenoGrowth::Config {
    friend bool operator==(const Config&, const Config&) = default;
  };
  using RenoGrowth::RenoGrowth;
};

}  // namespace dp
