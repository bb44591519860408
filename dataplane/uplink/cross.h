// Stage 4: over the bearer's uplink. A wire is crossed at once; another link buffers, and serves when its
// timer expires.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/classify.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/packet/burst.h"
#include "dataplane/uplink/ack.h"

namespace dp::uplink {

// True if a proxy is to be notified that something has left.
inline bool serve_now(Leg& leg, Time deadline, Context& context) noexcept {
  return leg.serve<ack>(deadline, context);
}

// With `am` the frames of the uplink acknowledge the downlink's SDUs.
inline void serve(WorkerTimer& timer, Time deadline, Context& context) noexcept {
  Leg& leg = static_cast<Leg&>(timer);
  if (serve_now(leg, deadline, context)) [[unlikely]]
    Bearer::of(leg, Direction::uplink).proxy->on_space(context);
}

inline void cross(Burst& burst, Context& context) noexcept {
  note_at_bearers(burst, Direction::uplink, context);
  fetch_legs(burst, Direction::uplink);
  const auto sdus = burst.sdus();
  const Sdu* const* unfetched = sdus.data();  // the first whose flow was not fetched
  for (Sdu* const& entry : sdus) {
    Sdu* const sdu = entry;
    Leg& leg = sdu->bearer->uplink;
    if (!leg.buffers()) {
      leg.count_crossing(*sdu);
      if (sdu->bearer->follows() && &entry >= unfetched) [[unlikely]]
        unfetched = fetch_flows({&entry, sdus.data() + sdus.size()});
      ack(*sdu, context);
    } else if (leg.enqueue(*sdu, context)) {
      serve_now(leg, context.now, context);
    }
  }
}

}  // namespace dp::uplink
