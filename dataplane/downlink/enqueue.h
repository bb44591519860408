// Stage 5: into the bearer's buffer. An idle link starts with the frame at once.
#pragma once
#include <span>

#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/classify.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/downlink/proxy.h"
#include "dataplane/downlink/serve.h"
#include "dataplane/packet/burst.h"

namespace dp::downlink {

// Enqueues frames for legs of all kinds, one after the other.
inline void enqueue_each(std::span<Sdu* const> sdus, Context& context) noexcept {
  const Sdu* const* unfetched = sdus.data();  // the first whose flow was not fetched
  for (Sdu* const& entry : sdus) {
    Sdu* const sdu = entry;
    Leg& leg = sdu->bearer->downlink;
    if (leg.apart()) [[unlikely]] {
      if (!leg.buffers()) {
        leg.count_crossing(*sdu);
        deliver(*sdu, context);
        continue;
      }
      if (&entry >= unfetched) unfetched = fetch_flows({&entry, sdus.data() + sdus.size()});
      if (leg.proxied() && proxy(*sdu, context)) continue;
    }
    if (leg.enqueue(*sdu, context)) serve_now(leg, context.now, context);
  }
}

inline void enqueue(Burst& burst, Context& context) noexcept {
  note_at_bearers(burst, Direction::downlink, context);
  const IdleFirst order(burst.sdus(), Direction::downlink);
  for (Sdu* const sdu : order.idle()) sdu->bearer->downlink.enqueue(*sdu, context);
  enqueue_each(order.others(Direction::downlink), context);
}

// Enqueues a frame of a proxy (SplitProxy::Send). The link starts with it when its timer expires, at this
// moment: the caller may be the link itself, which has just brought the ACK that the frame answers, as the
// air `am` of both legs does, and must not be entered again.
inline void enqueue_from_proxy(void* downlink, Sdu& sdu, Context& context) noexcept {
  Leg& leg = *static_cast<Leg*>(downlink);
  DP_EXPECT(leg.buffers());
  if (leg.enqueue(sdu, context)) context.timers.arm(leg, context.link_time());
}

}  // namespace dp::downlink
