// What stands beside a bearer, by pointer, for those who pass it on without looking inside.
#pragma once
#include <array>
#include <cstddef>

#include "dataplane/buffer/parts.h"

namespace dp {

class Air;
class AckChain;

// What a bearer has beside itself, all control's: the air, null unless its links are `am`; by direction the
// flow queues, null unless the leg's AQM has them; the chain of ACK stages, null without any; by direction
// who judges, null where no policy has anything to say.
struct BearerParts {
  Air* air = nullptr;
  std::array<FlowQueues*, 2> flows{};
  AckChain* acks = nullptr;
  std::array<Judge*, 2> judges{};

  // Of the leg of that direction.
  LegParts leg(std::size_t direction) const noexcept { return {judges[direction], flows[direction]}; }
  void set_leg(std::size_t direction, const LegParts& parts) noexcept {
    judges[direction] = parts.judge;
    flows[direction] = parts.flows;
  }
};

}  // namespace dp
