// Stage 6, when the leg's timer expires: SDUs that are due are delivered.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/downlink/deliver.h"

namespace dp::downlink {

// True if a proxy is to be notified that something has left.
inline bool serve_now(Leg& leg, Time deadline, Context& context) noexcept {
  return leg.serve<deliver>(deadline, context);
}

inline void serve(WorkerTimer& timer, Time deadline, Context& context) noexcept {
  Leg& leg = static_cast<Leg&>(timer);
  if (serve_now(leg, deadline, context)) [[unlikely]]
    Bearer::of(leg, Direction::downlink).proxy->on_space(context);
}

}  // namespace dp::downlink
