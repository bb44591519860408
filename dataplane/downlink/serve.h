// Stage 6, when the link says so: the leg's timer has come, what is due is delivered.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/downlink/deliver.h"

namespace dp::downlink {

// True when a proxy is to hear that something has left.
inline bool serve_now(Leg& leg, Time deadline, Context& context) noexcept {
  return leg.serve<deliver>(deadline, context);
}

inline void serve(WorkerTimer& timer, Time deadline, Context& context) noexcept {
  Leg& leg = static_cast<Leg&>(timer);
  if (serve_now(leg, deadline, context)) [[unlikely]]
    Bearer::of(leg, Direction::downlink).proxy->on_room(context);
}

}  // namespace dp::downlink
