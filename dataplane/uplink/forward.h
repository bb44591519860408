// Stage 7: out of the core port.
#pragma once
#include "dataplane/packet/context.h"

namespace dp::uplink {

inline void forward(Sdu& sdu, Context& context) noexcept { context.send(sdu, Side::core); }

}  // namespace dp::uplink
