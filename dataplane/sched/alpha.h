// The setting shared by all inter-user schedulers: the weight of a slot in the mean rates of a cell's users.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/base/fields.h"

namespace dp {

inline constexpr double kUsualAlpha = 0.001;

// Its row in a scheduler's field table. Schedulers that do not use mean rates have it too: the cell maintains
// the means under any scheduler, so that another one can take over.
template <class Config>
constexpr auto alpha_field(double Config::*member) {
  return Field{"alpha",          member, Unit::number,
               0.000001,         1.0,    "weight of a slot in the mean rate: 0.001 remembers some 1000 slots",
               "001 section 6.3"};
}

}  // namespace dp
