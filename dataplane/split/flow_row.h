// The state of one connection in a split proxy, as a plain value for control.
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/time.h"
#include "dataplane/split/class_split_counters.h"

namespace dp {

struct SplitRow {
  std::optional<SplitState> state{};  // nothing: it passes unsplit
  std::uint64_t stored = 0;           // octets here, not acknowledged by the UE
  std::uint64_t at_risk = 0;          // of these, those that the server was told have arrived
  std::uint64_t cwnd = 0;             // octets, towards the UE
  Duration ue_rtt{};                  // smoothed; 0: none was measured
  std::uint64_t retransmissions = 0;  // segments sent again to the UE
  std::uint64_t timeouts = 0;
};

}  // namespace dp
