// Stage 7: out of the radio port.
#pragma once
#include "dataplane/packet/context.h"

namespace dp::downlink {

[[gnu::always_inline]] inline void deliver(Sdu& sdu, Context& context) noexcept {
  context.send(sdu, Side::radio);
}

}  // namespace dp::downlink
