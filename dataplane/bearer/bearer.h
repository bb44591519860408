// One UE's bearer: two legs, and the air between their links where they are `am`. Made and destroyed by
// control (worker/prepare.h); between the message that adds it and the answer that sends it home it belongs
// to one worker.
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
  // `own_air` is there if and only if uses_air(settings); its legs draw from `seed`.
  Bearer(const BearerSettings& settings, const LegHandlers& handlers, Air* own_air, std::uint64_t seed)
      : cls(settings.cls),
        air(own_air),
        downlink(settings.downlink, exit_of(Direction::downlink), handlers.downlink, 2 * seed),
        uplink(settings.uplink, exit_of(Direction::uplink), handlers.uplink, 2 * seed + 1) {
    attach();
  }

  Leg& leg(Direction d) noexcept { return d == Direction::downlink ? downlink : uplink; }
  const Leg& leg(Direction d) const noexcept { return d == Direction::downlink ? downlink : uplink; }

  // In place. `fresh` must be there when the new settings use an air and the bearer's own is not made from
  // them, rates apart; answers the air that is no longer in use, for control.
  Air* reconfigure(const BearerSettings& settings, Air* fresh, Context& context) noexcept {
    Air* unused = fresh;
    const bool keep = air != nullptr && uses_air(settings) && (fresh == nullptr || air->adopt(*fresh));
    if (!keep && (air != nullptr || fresh != nullptr)) {
      for (Direction d : kDirections) leg(d).flush(context);
      unused = air;
      air = fresh;
    }
    downlink.reconfigure(settings.downlink, context);
    uplink.reconfigure(settings.uplink, context);
    if (!keep) attach();
    return unused;
  }

  UeAddress ue;  // written before the worker gets it, or by the worker that learns it
  ClassId cls;
  std::uint32_t slot = 0;  // its place in the worker's table
  Bearer* next = nullptr;  // in a class's stock of prepared bearers
  Air* air;                // control's; null unless the legs' links are `am`
  Leg downlink;
  Leg uplink;

 private:
  void attach() noexcept {
    if (air == nullptr) return;
    for (Direction d : kDirections) leg(d).attach(*air, d);
  }
};
static_assert(sizeof(Bearer) <= 15 * 64, "the packet path touches every cache line of a leg");

}  // namespace dp
