// Stage 5: into the bearer's buffer. An idle link starts with the frame at once.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/downlink/proxy.h"
#include "dataplane/downlink/serve.h"
#include "dataplane/packet/burst.h"

namespace dp::downlink {

// Frames of legs of all kinds, one after the other.
inline void enqueue_each(std::span<Sdu* const> sdus, Context& context) noexcept {
  const Sdu* const* unfetched = sdus.data();  // the first whose flow was not fetched
  for (Sdu* const& place : sdus) {
    Sdu* const sdu = place;
    Leg& leg = sdu->bearer->downlink;
    if (leg.apart()) [[unlikely]] {
      if (!leg.buffers()) {
        leg.count_crossing(*sdu);
        deliver(*sdu, context);
        continue;
      }
      if (&place >= unfetched) unfetched = fetch_flows({&place, sdus.data() + sdus.size()});
      if (leg.proxied() && proxy(*sdu, context)) continue;
    }
    if (leg.enqueue(*sdu, context)) serve_now(leg, context.now, context);
  }
}

// enqueue() of a burst of one frame: there is no other for which anything could be fetched meanwhile.
inline void enqueue_lone(Sdu& sdu, Context& context) noexcept {
  Bearer& bearer = *sdu.bearer;
  bearer.saw(Direction::downlink, context.now);
  Leg& leg = bearer.downlink;
  if (leg.idle()) return leg.enqueue_lone(sdu, context);
  Sdu* const lone = &sdu;
  enqueue_each({&lone, 1}, context);
}

// Frames whose leg is idle go first, the others behind them. Which frames these are follows no pattern: it
// takes no branch to tell, and by the time that the others' turn comes, what they need is in the cache. The
// frames of one bearer stay in order, since all that a burst has for it go the same way.
inline void enqueue(Burst& burst, Context& context) noexcept {
  if (burst.size() == 1) return enqueue_lone(*burst.sdus().front(), context);
  std::array<Sdu*, kBurst> at_idle, others;
  std::size_t n_at_idle = 0, n_others = 0;
  unsigned third = 0;
  const Time now = context.now;
  for (Sdu* const sdu : burst.sdus()) {
    Bearer& bearer = *sdu->bearer;
    bearer.saw(Direction::downlink, now);
    const bool idle = bearer.downlink.idle();
    third |= bearer.downlink.prefetch_second(idle);
    at_idle[n_at_idle] = others[n_others] = sdu;
    n_at_idle += idle;
    n_others += !idle;
  }
  for (Sdu* const sdu : std::span(at_idle).first(n_at_idle))
    sdu->bearer->downlink.enqueue_at_idle(*sdu, context);
  if (n_others == 0) return;
  const auto rest = std::span(others).first(n_others);
  if (third != 0) {
    for (const Sdu* sdu : rest) sdu->bearer->downlink.prefetch_third();
  }
  enqueue_each(rest, context);
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
