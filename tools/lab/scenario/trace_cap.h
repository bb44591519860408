// Checks if a leg's rate caps a recorded link: the rate is the highest at which a slot of a cell is given,
// and a slot with few packets counts as many Mbit/s.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/lab/scenario/scenario.h"

namespace lab {

struct TraceCap {
  std::uint64_t most = 0;  // bit/s: the highest rate of a slot
  double carried = 1;      // share of the trace's packets that slots carry at `rate`
};
// Requires: `slots` (per second) is not 0.
TraceCap cap_of(const dp::RadioTrace& trace, std::uint32_t slots, std::uint64_t rate);

// A warning for each class and each change of a bearer whose rate is below the highest of its recorded link.
std::vector<std::string> warnings_of(const Scenario& scenario);

}  // namespace lab
