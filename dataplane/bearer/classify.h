// Finds the bearers of a burst of frames: by the source address in one direction, by the destination in the
// other.
// Tests: tests/unit/worker/worker_test.cc
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/fetch.h"
#include "dataplane/bearer/roaming.h"
#include "dataplane/bearer/table.h"
#include "dataplane/bearer/tunnel_book.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/too_big.h"

namespace dp {

// Passes or drops a frame that gets no bearer, as `unknown` configures it; `why` selects the counter.
// Requires: `why` is not `learnt`.
inline void reject(Sdu& sdu, BearerTable::Learning why, Context& context) noexcept {
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

// Handles an ICMP message by which a router between here and a UE reports that a packet is too big: the proxy
// and the ACK stages, which would retransmit the packet from here, are notified too. The message continues to
// its destination in any case. The router may be a UE itself, have an address in the UE's prefix, or be the
// UE. With several workers the message comes to the UE's home first (Peers::give_others). If another worker
// serves the bearer, the message is handed to that worker: the result is then false, and the message is no
// longer the caller's. It is handed on once: a worker that retransmits nothing does not look at it, and sends
// it to the home of its source, which may be the worker that it came from.
inline bool hear_error(Sdu& sdu, BearerTable& table, Context& context) noexcept {
  const auto error = packet_too_big(sdu, context.gtp_u);
  if (!error) return true;
  const Bearer* elsewhere = nullptr;
  table.index().for_each_of(error->ue, [&](Bearer& bearer) {
    if (!bearer.follows()) return;
    if (!bearer.served_by(context.worker)) {
      elsewhere = &bearer;
      return;
    }
    if (bearer.proxy != nullptr) bearer.proxy->on_too_big(error->quoted, error->mtu, context);
    if (bearer.acks != nullptr) bearer.acks->on_too_big(error->quoted, error->mtu, context);
    sdu.heard = true;
  });
  if (elsewhere == nullptr || elsewhere->awaited || sdu.heard) return true;
  DP_EXPECT(context.peers != nullptr);
  sdu.heard = true;
  context.peers->give(sdu, elsewhere->visits - 1u, context);
  return false;
}

[[gnu::noinline]] inline void hear_errors(Burst& burst, BearerTable& table, Context& context) noexcept {
  burst.keep_if([&](Sdu& sdu) { return !is_icmp(sdu) || hear_error(sdu, table, context); });
}

// Learns, passes or drops a frame without a bearer. True if it has a bearer now. A frame whose home is
// another worker was here for hear_error() only, and is handed to its home.
[[gnu::noinline]] inline bool meet_stranger(Sdu& sdu, Direction direction, BearerTable& table,
                                            Context& context) noexcept {
  if (Peers* const peers = context.peers) {
    const unsigned home = peers->home_of(ue_address(sdu, direction));
    if (home != peers->self()) {
      peers->give(sdu, home, context);
      return false;
    }
  }
  if (sdu.kind == FrameKind::routing) {
    context.pass(sdu, PassReason::routing);
    return false;
  }
  const auto lesson = table.learn(ue_address(sdu, direction), direction);
  sdu.bearer = lesson.bearer;
  if (lesson.bearer == nullptr) {
    reject(sdu, lesson.outcome, context);
    return false;
  }
  lesson.bearer->settle(context);
  return true;
}

// Finds the bearer of a UE that has dedicated ones; to be called for a frame whose UE has no bearer, or more
// than one. True if it has a bearer now.
[[gnu::noinline]] inline bool meet_other(Sdu& sdu, Direction direction, BearerTable& table,
                                         Context& context) noexcept {
  sdu.bearer = table.index().find(ue_address(sdu, direction),
                                  [&](Bearer& first) { return dedicated::of(first, sdu, direction); });
  return sdu.bearer != nullptr || meet_stranger(sdu, direction, table, context);
}

// Sets sdu.bearer, and keeps the frames whose bearer is served here. The memory that every frame touches in
// its bearer is being fetched afterwards; the next stage notes the frame at the bearer (note_at_bearers).
inline void find_bearers(Burst& burst, Direction direction, BearerTable& table, Context& context) noexcept {
  const BearerIndex& index = table.index();
  std::array<BearerIndex::Lookup, kBurst> lookups;
  std::size_t n = 0;
  for (const Sdu* sdu : burst.sdus()) lookups[n++] = index.prefetch(ue_address(*sdu, direction));
  // The legs of a bearer that another worker serves are in that core's cache, and should stay there.
  const bool all_here = table.away() == 0;
  n = 0;
  burst.keep_if([&](Sdu& sdu) {
    sdu.bearer = index.find(lookups[n++], [&] { return ue_address(sdu, direction); });
    if (sdu.bearer == nullptr && !meet_other(sdu, direction, table, context)) return false;
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

// note_at_bearers() for a worker with tunnels: learns the tunnel of each packet, unless it is the bearer's
// already. A packet whose tunnel is refused passes.
inline void note_with_tunnels(Burst& burst, Direction direction, Context& context) noexcept {
  bool refused = false;
  for (Sdu* sdu : burst.sdus()) {
    Bearer& bearer = *sdu->bearer;
    const std::byte* const outer = sdu->data + sdu->outer_offset;
    const bool is_new =
        sdu->outer_offset != 0 &&
        !(load8(outer) == 0x45 && bearer.leg(direction).buffer().has_tag(Tunnel::tag_of(outer)));
    if (is_new) [[unlikely]] {
      if (!context.tunnels->learn(*sdu, direction, context)) {
        sdu->bearer = nullptr;
        refused = true;
        continue;
      }
    }
    bearer.saw(direction, context.now);
  }
  if (!refused) [[likely]]
    return;
  burst.keep_if([&](Sdu& sdu) {
    if (sdu.bearer == nullptr) context.pass(sdu, PassReason::gtp_u_gateway);
    return sdu.bearer != nullptr;
  });
}

// Notes each frame at its bearer. Requires: each has its bearer.
inline void note_at_bearers(Burst& burst, Direction direction, Context& context) noexcept {
  if (context.tunnels != nullptr) return note_with_tunnels(burst, direction, context);
  for (const Sdu* sdu : burst.sdus()) sdu->bearer->saw(direction, context.now);
}

}  // namespace dp
