// Stage 5: the ACK stages of the bearer, if it has any; they send on the frames that they do not hold. No
// bearer has both such stages and a proxy.
#pragma once
#include "dataplane/bearer/bearer.h"
#include "dataplane/uplink/forward.h"
#include "dataplane/uplink/proxy.h"

namespace dp::uplink {

inline void ack(Sdu& sdu, Context& context) noexcept {
  const Bearer& bearer = *sdu.bearer;
  if (bearer.acks != nullptr) return bearer.acks->on_uplink(sdu, context);
  bearer.proxy == nullptr ? forward(sdu, context) : proxy(sdu, context);
}

}  // namespace dp::uplink
