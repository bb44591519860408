// Stage 5, when the link says so: the leg's timer has come, what is due is delivered.
#pragma once
#include "dataplane/bearer/leg.h"
#include "dataplane/downlink/deliver.h"

namespace dp::downlink {

inline void serve(WorkerTimer& leg, Time deadline, Context& context) noexcept {
  static_cast<Leg&>(leg).serve(deadline, context, [&](Sdu& sdu) { deliver(sdu, context); });
}

}  // namespace dp::downlink
