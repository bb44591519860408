// The parts beside a leg, by pointer, for code that passes them on without looking inside.
#pragma once
#include "dataplane/queue/queues.h"

namespace dp {

class AqmInstance;

// All are control's.
struct LegParts {
  AqmInstance* aqm = nullptr;  // null if no policy has decisions to take
  Queues queues{};             // the queues of SDUs that do not wait in the leg's own FIFO
};

}  // namespace dp
