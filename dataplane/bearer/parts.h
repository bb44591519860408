// What stands beside a bearer, by pointer, for those who pass it on without looking inside.
#pragma once
#include <array>

namespace dp {

class Air;
class AckChain;
class FlowQueues;

// What a bearer has beside itself, all control's: the air, null unless its links are `am`; by direction the
// flow queues, null unless the leg's AQM has them; the chain of ACK stages, null without any.
struct BearerParts {
  Air* air = nullptr;
  std::array<FlowQueues*, 2> flows{};
  AckChain* acks = nullptr;
};

}  // namespace dp
