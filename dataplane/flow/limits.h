// Limits of a bearer's flow table: number of connections, and idle times.
#pragma once
#include <chrono>
#include <cstdint>

#include "dataplane/base/time.h"

namespace dp {

struct FlowLimits {
  std::uint32_t flows = 64;                 // below 2^24, so that handles stay unique
  Duration idle{std::chrono::minutes(10)};  // an established flow may be evicted after this time without a
                                            // segment
  Duration idle_embryonic{std::chrono::seconds(30)};  // likewise one not established yet, or over; these are
                                                      // evicted first
  friend bool operator==(const FlowLimits&, const FlowLimits&) = default;
};

}  // namespace dp
