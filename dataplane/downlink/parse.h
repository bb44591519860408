// Stage 1: headers. Frames that are no user's IP packet leave here.
#pragma once
#include "dataplane/packet/screen.h"

namespace dp::downlink {

inline void parse(Burst& burst, Context& context) noexcept { parse_and_screen(burst, context); }

}  // namespace dp::downlink
