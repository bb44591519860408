// The setting that all inter-user schedulers share: how fast a cell forgets what its users got.
#pragma once
#include "dataplane/base/fields.h"

namespace dp {

inline constexpr double kUsualAlpha = 0.001;

// The row for it in a scheduler's field table. Those that do not go by mean rates have it, too: the cell
// tells the means whoever schedules, and another scheduler goes on with them.
template <class Config>
constexpr auto alpha_field(double Config::*member) {
  return Field{"alpha",          member, Unit::number,
               0.000001,         1.0,    "weight of a slot in the mean rate: 0.001 remembers some 1000 slots",
               "001 section 6.3"};
}

}  // namespace dp
