// What stands beside a bearer, by pointer, for those who pass it on without looking inside.
#pragma once
#include <array>
#include <cstddef>

#include "dataplane/buffer/parts.h"

namespace dp {

class Air;
class AckChain;
class CellMember;
class SplitProxy;
class UmAir;

// What a bearer has beside itself, all control's: the air, null unless its links are `am`; by direction
// what SDUs wait in, where that is not the leg's own FIFO; the chain of ACK stages, null without any; by
// direction who judges, null where no policy has anything to say; what it has in a cell, null unless its
// downlink is `cell`; by direction what it crosses, null unless the link there is `um`; what splits its TCP
// connections, null without a proxy.
struct BearerParts {
  Air* air = nullptr;
  std::array<Queues, 2> queues{};
  AckChain* acks = nullptr;
  std::array<Judge*, 2> judges{};
  CellMember* member = nullptr;
  std::array<UmAir*, 2> ums{};
  SplitProxy* proxy = nullptr;

  // Of the leg of that direction.
  LegParts leg(std::size_t direction) const noexcept { return {judges[direction], queues[direction]}; }
  void set_leg(std::size_t direction, const LegParts& parts) noexcept {
    judges[direction] = parts.judge;
    queues[direction] = parts.queues;
  }
};

}  // namespace dp
