// Which bearer a frame belongs to, a burst at a time. The same in both directions but for the address looked
// at.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/bearer/roaming.h"
#include "dataplane/bearer/table.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/too_big.h"

namespace dp {

// A frame that gets no bearer: `unknown` decides what becomes of it, whatever the reason is. Requires: it was
// not learnt.
inline void turn_away(Sdu& sdu, BearerTable::Learning why, Context& context) noexcept {
  using enum BearerTable::Learning;
  DP_EXPECT_HOT(why != learnt);
  const bool drops = context.unknown == Unknown::drop && context.mode != Mode::tap;
  switch (why) {
    case stock_empty:
      return drops ? context.drop(sdu, DropReason::stock_empty) : context.pass(sdu, PassReason::stock_empty);
    case limit:
      return drops ? context.drop(sdu, DropReason::learn_limit) : context.pass(sdu, PassReason::learn_limit);
    case cell_full:
      return drops ? context.drop(sdu, DropReason::cell_full) : context.pass(sdu, PassReason::cell_full);
    case learnt:
    case unknown:
      break;
  }
  drops ? context.drop(sdu, DropReason::unknown_bearer) : context.pass(sdu, PassReason::unknown_bearer);
}

// A router between here and a UE says that a packet is too big for it: the proxy, or the stages, that would
// send it again from here hear of it too. The message goes on to its destination in any case. The router may
// be a UE itself, have its address from the UE's prefix, or be the UE. With several workers the message comes
// to the UE's home first (Peers::give_others). Where the bearer is at another worker it is handed to that
// one: then the answer is false, and it is no longer the caller's. It is handed on once: that worker does not
// look at it while it repeats nothing, and sends it to the home of its source, which may be where it came
// from.
inline bool hear_error(Sdu& sdu, BearerTable& table, Context& context) noexcept {
  const auto error = packet_too_big(sdu);
  if (!error) return true;
  Bearer* const bearer = table.index().find(error->ue);
  if (bearer == nullptr || !bearer->follows()) return true;
  if (bearer->visits == 0 || bearer->visits == context.worker + 1) {
    if (bearer->proxy != nullptr) bearer->proxy->on_too_big(error->quoted, error->mtu, context);
    if (bearer->acks != nullptr) bearer->acks->on_too_big(error->quoted, error->mtu, context);
    sdu.fate = kFateHeard;
    return true;
  }
  if (bearer->awaited || sdu.fate == kFateHeard) return true;
  DP_EXPECT(context.peers != nullptr);
  sdu.fate = kFateHeard;
  context.peers->give(sdu, bearer->visits - 1u, context);
  return false;
}

[[gnu::noinline]] inline void hear_errors(Burst& burst, BearerTable& table, Context& context) noexcept {
  burst.keep_if([&](Sdu& sdu) { return !is_icmp(sdu) || hear_error(sdu, table, context); });
}

// A frame of no bearer: learnt, passed or dropped. True when it has a bearer now. A frame whose home is
// another worker came here for hear_error() alone, and goes home.
[[gnu::noinline]] inline bool meet_stranger(Sdu& sdu, Direction direction, BearerTable& table,
                                            Context& context) noexcept {
  if (Peers* const peers = context.peers) {
    const unsigned home = peers->home_of(ue_address(sdu, direction));
    if (home != peers->self()) return peers->give(sdu, home, context), false;
  }
  if (sdu.kind == FrameKind::routing) return context.pass(sdu, PassReason::routing), false;
  const auto lesson = table.learn(ue_address(sdu, direction), direction);
  sdu.bearer = lesson.bearer;
  if (lesson.bearer == nullptr) return turn_away(sdu, lesson.outcome, context), false;
  lesson.bearer->settle(context);
  return true;
}

// Sets sdu.bearer and keeps the frames that have one here. What of the bearer every frame touches is on its
// way to the cache; the next stage tells the bearer that it was seen (Bearer::saw).
inline void find_bearers(Burst& burst, Direction direction, BearerTable& table, Context& context) noexcept {
  const BearerIndex& index = table.index();
  std::array<BearerIndex::Lookup, kBurst> lookups;
  std::size_t n = 0;
  for (const Sdu* sdu : burst.sdus()) lookups[n++] = index.prefetch(ue_address(*sdu, direction));
  // Where a bearer is elsewhere, its legs are in another core's cache, and had best stay there.
  const bool all_here = table.away() == 0;
  n = 0;
  burst.keep_if([&](Sdu& sdu) {
    sdu.bearer = index.find(lookups[n++], [&] { return ue_address(sdu, direction); });
    if (sdu.bearer == nullptr && !meet_stranger(sdu, direction, table, context)) return false;
    if (all_here) [[likely]]
      LegFetch::first(sdu.bearer->leg(direction));
    return true;
  });
  if (!all_here) {
    for (const Sdu* sdu : burst.sdus()) __builtin_prefetch(sdu->bearer);
    send_after(burst, context);
    for (const Sdu* sdu : burst.sdus()) LegFetch::first(sdu->bearer->leg(direction));
  }
}

}  // namespace dp
