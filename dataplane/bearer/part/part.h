// The interface of each kind of part. A kind is one struct over PartDefaults in a file of this folder, and
// its name in bearer/parts.h and part/list.h; everything that is done with all parts is a fold over that
// list.
// Tests: tests/unit/bearer/parts_test.cc
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
  SplitProxy::Send send = nullptr;  // a proxy sends into the bearer's downlink by this
  // The seed of the leg of that direction.
  std::uint64_t of_leg(std::size_t direction) const noexcept { return 2 * chance + direction; }
};

// The words by which a report names the memory of parts: with a count before it if there is a word for one of
// them. `remedy` completes "lower ..."; empty where nothing in the configuration makes them smaller.
struct PartMemory {
  std::string_view one, many, remedy;
};

// Beside the members below each part has, for control:
//   Owned                          owns one; get() is its Handle
//   kMemory                        an array of PartMemory
//   wanted(settings, slot)         true if a bearer of these settings has one
//   alike(was, now, slot)          true if the one made for `was` can continue under `now`; requires:
//                                  wanted(now, slot)
//   make(settings, slot, seeds)    returns an Owned; requires: wanted(settings, slot)
//   bytes(settings, slot)          the memory of that one; requires the same
// and for the worker:
//   own(bearer, slot)              the bearer's; empty if it has none
//   install(bearer, slot, part, settings)   puts the part into the bearer, which is made of these settings
template <class KindType>
struct PartDefaults : KindType {
  using Kind = KindType;
  using Handle = typename Kind::Handle;

  // True if control keeps many of them side by side, in slabs; Owned is then std::unique_ptr, and there is
  // make_at(where, settings, slot, seeds), which returns the part that it made in that memory.
  static constexpr bool kInSlabs = false;
  // The index in kMemory of the line under which its memory is reported.
  static std::size_t memory_line(const BearerSettings&, std::size_t) noexcept { return 0; }

  // Bearer::reconfigure, in three steps. `spare` is the part that control has sent, if any, and afterwards
  // the one that returns to control. leave(): before the legs change, from the last part to the first: parts
  // that the bearer cannot keep release their frames.
  static void leave(Bearer&, std::size_t, const BearerSettings&, Handle&, Context&) noexcept {}
  // attach(): after the change, from the first to the last: links get the parts that they serve from.
  static void attach(Bearer&, std::size_t, const BearerSettings&, Handle&, Context&) noexcept {}
  // take_over(): then likewise: parts that are notified by the legs, or stand before them, take over.
  static void take_over(Bearer&, std::size_t, const BearerSettings&, Handle&, Context&) noexcept {}
  // leave_class(): before all of this if the class changes, while the bearer still counts for its previous
  // class.
  static void leave_class(Bearer&, std::size_t, const BearerSettings&, Handle, Context&) noexcept {}

  // The stay of a part with its bearer at a worker. settle(): a worker begins to serve the bearer, which is
  // in its table; depart(): it stops, and the bearer goes to another worker; retire(): the bearer is removed.
  static void settle(Handle, Bearer&, Context&) noexcept {}
  static void depart(Handle, Bearer&, Context&) noexcept {}
  static void retire(Handle, Bearer&, Context&) noexcept {}
  // Bearer::park: its timers.
  static void park(Handle, Context&) noexcept {}
  static void unpark(Handle, Context&) noexcept {}
  // The part starts to count in the counters of a class, and stops.
  static void count_in(Handle, ClassCounters&) noexcept {}
  static void stop_counting(Handle) noexcept {}

  // Bearer::send_all: its frames leave at once; no timer runs until the next event.
  static void let_go(Handle, Context&) noexcept {}
  static void rest(Handle, Context&) noexcept {}
  // Bearer::let_go_of, let_go_of_moved_networks, postpone, doubt_flows.
  static void let_go_of(Handle, const UeAddress&, Context&) noexcept {}
  static bool came_from_other_network(Handle, NetworkId, const Context&) noexcept { return false; }
  // Bearer::point_to.
  static void point_to(Handle, Direction, const TunnelKey&, std::uint8_t) noexcept {}
  static void postpone(Handle, Duration, Context&) noexcept {}
  static void doubt_flows(Handle, Time) noexcept {}

  // True if it holds frames, beside those in the legs' buffers; and the frames.
  static bool holds(Handle) noexcept { return false; }
  static void add_to(Handle, Holdings&) noexcept {}
};

}  // namespace dp
