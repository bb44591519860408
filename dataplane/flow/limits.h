// How many connections of a bearer are followed, and how long.
#pragma once
#include <chrono>
#include <cstdint>

#include "dataplane/base/time.h"

namespace dp {

struct FlowLimits {
  std::uint32_t flows = 64;                 // below 2^24, so that handles last
  Duration idle{std::chrono::minutes(10)};  // after so long without a segment an established flow may leave
  Duration idle_embryonic{std::chrono::seconds(30)};  // one not established yet, or over, leaves before those
  friend bool operator==(const FlowLimits&, const FlowLimits&) = default;
};

}  // namespace dp
