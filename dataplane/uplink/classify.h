// Stage 3: the bearer, by the source address. Frames of no bearer are learnt, passed or dropped here.
#pragma once
#include "dataplane/bearer/classify.h"

namespace dp::uplink {

inline void classify(Burst& burst, BearerTable& table, Context& context) noexcept {
  // Without a promise to a server nothing is split here, and nobody to be told, unless a bearer is elsewhere.
  if (context.proxy_store.taken() != 0 || table.away() != 0) hear_errors(burst, table, context);
  find_bearers(burst, Direction::uplink, table, context);
}

}  // namespace dp::uplink
