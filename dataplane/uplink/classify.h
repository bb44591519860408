// Stage 3: the bearer, by the source address. Frames of no bearer are learnt, passed or dropped here.
#pragma once
#include "dataplane/bearer/classify.h"

namespace dp::uplink {

inline void classify(Burst& burst, BearerTable& table, Context& context) noexcept {
  // Errors are needed only while connections are split or frames are kept, or while a bearer is elsewhere.
  const bool repeats = context.proxy_store.taken() != 0 || context.account.retained != 0;
  if (repeats || table.away() != 0) hear_errors(burst, table, context);
  find_bearers(burst, Direction::uplink, table, context);
}

}  // namespace dp::uplink
