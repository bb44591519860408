// One UE's bearer: two legs. Made and destroyed by control; between the message that adds it and the answer
// that sends it home it belongs to one worker.
#pragma once
#include <array>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/leg.h"
#include "dataplane/bearer/settings.h"

namespace dp {

// The spine's timer handlers, one a direction (worker/prepare.h puts them in).
struct LegHandlers {
  WorkerTimer::Fire downlink;
  WorkerTimer::Fire uplink;
};

struct alignas(64) Bearer {
  Bearer(const BearerSettings& settings, const LegHandlers& handlers)
      : cls(settings.cls),
        downlink(settings.downlink, exit_of(Direction::downlink), handlers.downlink),
        uplink(settings.uplink, exit_of(Direction::uplink), handlers.uplink) {}

  Leg& leg(Direction d) noexcept { return d == Direction::downlink ? downlink : uplink; }

  UeAddress ue;  // written before the worker gets it, or by the worker that learns it
  ClassId cls;
  std::uint32_t slot = 0;  // its place in the worker's table
  Bearer* next = nullptr;  // in a class's stock of prepared bearers
  Leg downlink;
  Leg uplink;
};
static_assert(sizeof(Bearer) <= 7 * 64, "the packet path touches every cache line of a leg");

}  // namespace dp
