// Stage 4, if the bearer has a split proxy: the proxy sends the data of frames that it takes over to the UE
// itself, by enqueue_from_proxy().
// Tests: tests/unit/split/life_test.cc
#pragma once
#include "dataplane/bearer/bearer.h"

namespace dp::downlink {

// True if the frame is the proxy's now. Requires: the leg is of a bearer with a proxy.
[[gnu::noinline]] inline bool proxy(Sdu& sdu, Context& context) noexcept {
  DP_EXPECT(sdu.bearer->proxy != nullptr);
  return sdu.bearer->proxy->on_downlink(sdu, context);
}

}  // namespace dp::downlink
