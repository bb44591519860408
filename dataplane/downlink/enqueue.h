// Stage 4: into the bearer's buffer. An idle link starts with the frame at once.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/downlink/serve.h"
#include "dataplane/packet/burst.h"

namespace dp::downlink {

inline void enqueue(Burst& burst, Context& context) noexcept {
  for (Sdu* sdu : burst.sdus()) {
    sdu->bearer->saw(Direction::downlink, context.now);
    Leg& leg = sdu->bearer->downlink;
    if (!leg.buffers()) {
      leg.count_crossing(*sdu);
      deliver(*sdu, context);
    } else if (leg.enqueue(*sdu, context)) {
      serve(leg, context.now, context);
    }
  }
}

}  // namespace dp::downlink
