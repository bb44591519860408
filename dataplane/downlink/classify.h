// Stage 3: the bearer, by the destination address. Frames of no bearer are learnt, passed or dropped here.
#pragma once
#include "dataplane/bearer/classify.h"

namespace dp::downlink {

inline void classify(Burst& burst, BearerTable& table, Context& context) noexcept {
  find_bearers(burst, Direction::downlink, table, context);
}

}  // namespace dp::downlink
