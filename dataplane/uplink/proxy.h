// Stage 6, if the bearer has a split proxy: the proxy consumes the UE's ACKs.
// Tests: tests/unit/split/life_test.cc
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/uplink/forward.h"

namespace dp::uplink {

// Requires: the bearer has a proxy.
[[gnu::noinline]] inline void proxy(Sdu& sdu, Context& context) noexcept {
  DP_EXPECT(sdu.bearer->proxy != nullptr);
  if (!sdu.bearer->proxy->on_uplink(sdu, context)) forward(sdu, context);
}

}  // namespace dp::uplink
