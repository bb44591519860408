// What stands beside a leg, by pointer, for those who pass it on without looking inside.
#pragma once

namespace dp {

class FlowQueues;
class Judge;

// All control's.
struct LegParts {
  Judge* judge = nullptr;       // null where no policy has anything to say
  FlowQueues* flows = nullptr;  // null unless the leg's AQM has them
};

}  // namespace dp
