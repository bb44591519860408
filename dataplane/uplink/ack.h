// Stage 5: the ACK stages of the bearer, where it has any; they send on what they do not hold.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/uplink/forward.h"

namespace dp::uplink {

inline void ack(Sdu& sdu, Context& context) noexcept {
  AckChain* const acks = sdu.bearer->acks;
  acks == nullptr ? forward(sdu, context) : acks->on_uplink(sdu, context);
}

}  // namespace dp::uplink
