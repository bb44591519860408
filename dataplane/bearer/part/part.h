// The interface of each kind of part. A kind is one struct over PartDefaults in a file of this folder, and
// its name in bearer/parts.h and part/list.h; everything that is done with all parts is a fold over that
// list.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/class_counters.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/packet/context.h"
#include "dataplane/split/proxy.h"

namespace dp {

// The arguments that a part is made with beside its settings.
struct PartSeeds {
  std::uint64_t number = 0;         // tells apart bearers whose radios draw from the same seed
  std::uint64_t chance = 0;         // AQMs and ACK stages draw from it, and flows are spread by it
  SplitProxy::Send send = nullptr;  // by which a proxy sends into the bearer's downlink
  // For the leg of that direction.
  std::uint64_t of_leg(std::size_t direction) const noexcept { return 2 * chance + direction; }
};

// The words by which a report names the memory of parts: with a count before it if there is a word for one of
// them. `remedy` completes "lower ..."; empty where nothing in the configuration makes them smaller.
struct PartMemory {
  std::string_view one, many, remedy;
};

// Beside what stands here each part has, for control:
//   Owned                          owns one; get() is its Handle
//   kMemory                        an array of PartMemory
//   wanted(settings, slot)         a bearer of these settings has one
//   alike(was, now, slot)          the one made for `was` can go on under `now`; requires: wanted(now, slot)
//   make(settings, slot, seeds)    Owned; requires: wanted(settings, slot)
//   bytes(settings, slot)          the memory that this takes; requires the same
// and for the worker:
//   own(bearer, slot)              the bearer's; empty when it has none
//   install(bearer, slot, part, settings)   as the bearer is made of these settings, with that part
template <class KindType>
struct PartDefaults : KindType {
  using Kind = KindType;
  using Handle = typename Kind::Handle;

  // Control keeps many of them side by side, in slabs; Owned is then std::unique_ptr, and there is
  // make_at(where, settings, slot, seeds), which answers what it made in that memory.
  static constexpr bool kInSlabs = false;
  // The place in kMemory under which its memory is reported.
  static std::size_t memory_line(const BearerSettings&, std::size_t) noexcept { return 0; }

  // Bearer::reconfigure, in three steps. `spare` is what control has sent, if anything, and what goes home.
  // Before the legs change, from the last part to the first: what the bearer cannot go on with lets go.
  static void leave(Bearer&, std::size_t, const BearerSettings&, Handle&, Context&) noexcept {}
  // After it, from the first to the last: links get what they serve from.
  static void attach(Bearer&, std::size_t, const BearerSettings&, Handle&, Context&) noexcept {}
  // Then likewise: those take over who listen to the legs, or stand before them.
  static void take_over(Bearer&, std::size_t, const BearerSettings&, Handle&, Context&) noexcept {}
  // Before all of this where the class changes, while the bearer still counts for the class of before.
  static void leave_class(Bearer&, std::size_t, const BearerSettings&, Handle, Context&) noexcept {}

  // A part in its bearer. The bearer begins to be served by a worker, which has it in its table; it stops,
  // and goes to another; it is removed.
  static void settle(Handle, Bearer&, Context&) noexcept {}
  static void depart(Handle, Bearer&, Context&) noexcept {}
  static void retire(Handle, Bearer&, Context&) noexcept {}
  // Bearer::park: its timers.
  static void park(Handle, Context&) noexcept {}
  static void unpark(Handle, Context&) noexcept {}
  // The part counts in the counters of a class from here on; it stops.
  static void count_in(Handle, ClassCounters&) noexcept {}
  static void stop_counting(Handle) noexcept {}

  // Bearer::send_all: what it holds leaves at once; no timer runs until the next event.
  static void let_go(Handle, Context&) noexcept {}
  static void rest(Handle, Context&) noexcept {}
  // Bearer::let_go_of, let_go_of_moved_vlans, postpone, doubt_flows.
  static void let_go_of(Handle, const UeAddress&, Context&) noexcept {}
  static bool came_by_vlan_of_other(Handle, NetworkId, const Context&) noexcept { return false; }
  static void postpone(Handle, Duration, Context&) noexcept {}
  static void doubt_flows(Handle, Time) noexcept {}

  // It holds frames, beside those in the legs' buffers; and which.
  static bool holds(Handle) noexcept { return false; }
  static void add_to(Handle, Holdings&) noexcept {}
};

}  // namespace dp
