// Which captures a frame is for. A worker calls these functions once a burst; without captures they do
// nothing. With captures each looks at a copy of the frame's record, and changes nothing that the packet path
// uses.
//
// A frame that belongs to a UE is found by its address, at any worker. The members of a cell are known to
// the worker that serves them, so with several workers a cell's frames are captured there: as they come from
// the worker that received them, and as they are given to the worker that sends them.
// Tests: tests/unit/worker/tap_test.cc
#pragma once
#include <cstddef>
#include <span>

#include "dataplane/bearer/table.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/tap/tap.h"

namespace dp {

using Offered = std::span<Sdu* const>;

// These require that there is a tap.
namespace tapping {
// Frames that a port has received.
void arrivals(const Burst& burst, Side side, const BearerTable& table, Context& context) noexcept;
void taken(const Burst& burst, Side side, const BearerTable& table, Context& context) noexcept;
// Frames that are offered to the worker's `own` queue of the port, or to the worker that sends for this one.
// The caller passes the number of those that were taken to Tap::departed().
void departures(Offered frames, Side exit, bool own, const BearerTable& table, Context& context) noexcept;
// Frames that are about to be freed.
void drops(const BearerTable& table, Context& context) noexcept;
void find_links(const BearerTable& table, Context& context) noexcept;
}  // namespace tapping

// Frames received by another worker, for this one.
inline void tap_taken(const Burst& burst, Side side, const BearerTable& table, Context& context) noexcept {
  if (context.tap != nullptr) [[unlikely]]
    tapping::taken(burst, side, table, context);
}
// Finds the RLC links of captured UEs, which commands and arrivals may have changed.
inline void find_tapped_links(const BearerTable& table, Context& context) noexcept {
  if (context.tap != nullptr) [[unlikely]]
    tapping::find_links(table, context);
}

}  // namespace dp
