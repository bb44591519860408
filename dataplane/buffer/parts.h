// What stands beside a leg, by pointer, for those who pass it on without looking inside.
#pragma once
#include "dataplane/queue/queues.h"

namespace dp {

class Judge;

// All control's.
struct LegParts {
  Judge* judge = nullptr;  // null where no policy has anything to say
  Queues queues{};         // what SDUs wait in, where it is not the leg's own FIFO
};

}  // namespace dp
