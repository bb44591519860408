// Stage 4: over the bearer's uplink. A wire is crossed at once; another link buffers, and serves when its
// timer says.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/burst.h"
#include "dataplane/uplink/ack.h"

namespace dp::uplink {

inline void serve(WorkerTimer& leg, Time deadline, Context& context) noexcept {
  static_cast<Leg&>(leg).serve(deadline, context, [&](Sdu& sdu) { ack(sdu, context); });
}

inline void cross(Burst& burst, Context& context) noexcept {
  for (Sdu* sdu : burst.sdus()) {
    sdu->bearer->saw(Direction::uplink, context.now);
    Leg& leg = sdu->bearer->uplink;
    if (!leg.buffers()) {
      leg.count_crossing(*sdu);
      ack(*sdu, context);
    } else if (leg.enqueue(*sdu, context)) {
      serve(leg, context.now, context);
    }
  }
}

}  // namespace dp::uplink
