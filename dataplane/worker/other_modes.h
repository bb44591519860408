// The fate of frames in the modes other than `inline`.
// Tests: tests/unit/worker/tap_test.cc
#pragma once
#include "dataplane/bearer/classify.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/bearer/table.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"

namespace dp {

// Mode `tap`: counts the frames at their bearers, but delays none.
inline void observe(Burst& burst, Direction direction, BearerTable& table, Context& context) noexcept {
  find_bearers(burst, direction, table, context);
  note_at_bearers(burst, direction, context);
  fetch_legs(burst, direction);
  for (Sdu* sdu : burst.sdus()) {
    sdu->bearer->leg(direction).count_crossing(*sdu);
    context.pass(*sdu, PassReason::mode);
  }
}

// Forwards every frame in `bypass`, and drops it in `block`. Requires: the mode is one of these.
inline void stay_out(const Burst& burst, Context& context) noexcept {
  for (Sdu* sdu : burst.sdus()) {
    context.mode == Mode::bypass ? context.pass(*sdu, PassReason::mode)
                                 : context.drop(*sdu, DropReason::blocked);
  }
}

}  // namespace dp
