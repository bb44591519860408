// One UE's bearer: two legs, and the air between their links where they are `am`. Made and destroyed by
// control (worker/prepare.h); between the message that adds it and the answer that sends it home it belongs
// to one worker.
#pragma once
#include <algorithm>
#include <array>
#include <optional>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/leg_fast.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/split/proxy.h"

namespace dp {

// The spine's timer handlers, one a direction (worker/prepare.h puts them in).
struct LegHandlers {
  WorkerTimer::Fire downlink;
  WorkerTimer::Fire uplink;
};

// Its parts are PartList's (part/list.h): what is done with all of them is in bearer.cc, by walks over that
// list. They stand in the order in which an SDU of the downlink meets them, from the link outwards: the
// link's own, the queue's, the ACK stages, the proxy. These hold between two calls:
//   - A part is there if and only if the settings of the bearer want it (Part::wanted), and in no other
//     bearer.
//   - Nothing that leaves at once overtakes what was to leave before it: what stands outside lets go before
//     what stands inside, and comes back after it.
//   - Timers of one deadline fire in the order in which they were armed: legs, then parts in list order.
//   - In the account of a worker is what the bearers in its table hold (Part::add_to), and nothing of one
//     that is on its way between two workers.
struct alignas(64) Bearer {
  // Requires: `parts` are those that the settings call for (worker/prepare.h).
  Bearer(const BearerSettings& settings, const LegHandlers& handlers, const BearerParts& parts);

  // Whose leg this is. Requires: it is the `direction` leg of a bearer.
  static Bearer& of(Leg& leg, Direction direction) noexcept;

  // A packet of its UE's, or to it, has come.
  void saw(Direction d, Time now) noexcept {
    leg(d).saw(now);
    // Until then only: what the downlink says is in another cache line.
    if (d == Direction::uplink && !uplink.answers() && downlink.last_seen().ever()) uplink.set_answers();
  }
  // When it was last heard of, as LastSeen tells it: from its UE, or also from who sends to it. Nothing when
  // never.
  std::optional<Time> heard(LearnFrom from, Time now) const noexcept {
    const auto up = uplink.last_seen().get(now);
    return from == LearnFrom::uplink ? up : std::max(up, downlink.last_seen().get(now));
  }
  // The UE has spoken after it was spoken to: it is there. Whoever makes addresses up does not hear what is
  // sent to them.
  bool answered() const noexcept { return uplink.answers(); }
  // It holds frames: queued, not yet acknowledged, on their way, or with a part of its own.
  bool holds() const noexcept;

  // It follows connections, so that its frames touch more than the bearer and its legs (fetch_flows).
  bool follows() const noexcept { return acks != nullptr || proxy != nullptr; }
  Leg& leg(Direction d) noexcept { return d == Direction::downlink ? downlink : uplink; }
  const Leg& leg(Direction d) const noexcept { return d == Direction::downlink ? downlink : uplink; }

  // In place. `fresh` must have each part that the new settings want and that the bearer's own cannot go on
  // as (Part::alike), and no other; without them the bearer stays as it is. Answers what is no longer in use,
  // for control.
  BearerParts reconfigure(const BearerSettings& settings, const BearerParts& fresh,
                          Context& context) noexcept;
  // Called before reconfigure() where the class changes, while this is counted for the class of before.
  void leave_class(const BearerSettings& settings, const BearerParts& fresh, Context& context) noexcept;

  // A worker has it in its table from here on: it takes its place in the worker's cell, if it has one there.
  // And it is about to leave the table for good: it has no room in a cell any more.
  void settle(Context& context) noexcept;
  void retire(Context& context) noexcept;

  // Where its parts count for its class, from here on and no more.
  void count_parts_in(ClassCounters& stats) noexcept;
  void stop_counting_parts() noexcept;

  // Sends everything queued and held at once, in order. What a proxy has split ends, or goes on unsplit.
  void send_all(Context& context) noexcept;

  // One UE of the /64 goes to a bearer of its own, or comes back from it: its connections end here as in
  // send_all(), or go on unfollowed. What the legs queue of it stays in its order. Requires: the UE is one
  // IPv6 address.
  void let_go_of(const UeAddress& ue, Context& context) noexcept;

  // The networks of VLANs have changed, or may have: where the last frames came by a VLAN that is of another
  // network now, its connections end here as in send_all().
  void let_go_of_moved_vlans(Context& context) noexcept;

  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept;

  // Until now its frames were not looked at: connections may have ended unseen (FlowTable::doubt).
  void doubt_flows(Time now) noexcept;

  // It leaves its worker for another, with everything it holds: its deadlines come along, and what it holds
  // is out of the worker's account and its class's occupancy. Requires: the other calls unpark() next, after
  // it has put it into its table.
  void park(Context& context) noexcept;
  void unpark(Context& context) noexcept;

  BearerParts parts() const noexcept;

  UeAddress ue;  // written before the worker gets it, or by the worker that learns it
  ClassId cls;
  // The worker that has it, plus one, when that is not the one which its address names; else 0. Only the
  // latter writes it, while it has the bearer.
  std::uint8_t visits = 0;
  bool awaited = false;      // its home keeps its frames until it has set out, or come back; likewise
  std::uint32_t place = 0;   // its place in the worker's table
  Bearer* next = nullptr;    // in a list that it stands in: a class's stock, those control has not heard of
  Air* air = nullptr;        // control's; null unless the legs' links are `am`
  AckChain* acks = nullptr;  // control's; null without ACK stages
  SplitProxy* proxy = nullptr;  // control's; null without a proxy
  Leg downlink;
  Leg uplink;

 private:
  Holdings holdings() noexcept;
};
static_assert(sizeof(Bearer) == 7 * 64);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and Clang know it: no base of a Bearer is virtual
inline Bearer& Bearer::of(Leg& leg, Direction d) noexcept {
  const std::size_t behind = d == Direction::downlink ? offsetof(Bearer, downlink) : offsetof(Bearer, uplink);
  auto* const bearer = reinterpret_cast<Bearer*>(reinterpret_cast<std::byte*>(&leg) - behind);
  DP_EXPECT_HOT(&bearer->leg(d) == &leg);
  return *bearer;
}
#pragma GCC diagnostic pop

}  // namespace dp
