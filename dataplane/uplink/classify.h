// Stage 3: the bearer, by the source address. Frames of no bearer are learnt, passed or dropped here.
#pragma once
#include "dataplane/bearer/classify.h"

namespace dp::uplink {

inline void classify(Burst& burst, BearerTable& table, Context& context) noexcept {
  find_bearers(burst, Direction::uplink, table, context);
}

}  // namespace dp::uplink
