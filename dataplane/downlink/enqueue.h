// Stage 5: into the bearer's buffer. An idle link starts with the frame at once.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/fetch_flows.h"
#include "dataplane/downlink/proxy.h"
#include "dataplane/downlink/serve.h"
#include "dataplane/packet/burst.h"

namespace dp::downlink {

inline void enqueue(Burst& burst, Context& context) noexcept {
  const auto sdus = burst.sdus();
  const Time now = context.now;
  const Sdu* const* unfetched = sdus.data();  // the first whose flow was not fetched
  for (Sdu* const& place : sdus) {
    Sdu* const sdu = place;
    Bearer& bearer = *sdu->bearer;
    bearer.saw(Direction::downlink, now);
    Leg& leg = bearer.downlink;
    if (leg.apart()) [[unlikely]] {
      if (!leg.buffers()) {
        leg.count_crossing(*sdu);
        deliver(*sdu, context);
        continue;
      }
      if (&place >= unfetched) unfetched = fetch_flows({&place, sdus.data() + sdus.size()});
      if (leg.proxied() && proxy(*sdu, context)) continue;
    }
    if (leg.enqueue(*sdu, context)) serve_now(leg, now, context);
  }
}

// What a proxy sends (SplitProxy::Send). The link starts with it when its timer comes, at this moment: it may
// be what has just brought the ACK that the frame answers, as the air `am` of both legs, and is not entered
// again.
inline void enqueue_one(void* downlink, Sdu& sdu, Context& context) noexcept {
  Leg& leg = *static_cast<Leg*>(downlink);
  DP_EXPECT(leg.buffers());
  if (leg.enqueue(sdu, context)) context.timers.arm(leg, context.link_time());
}

}  // namespace dp::downlink
