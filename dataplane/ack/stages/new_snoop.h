// New Snoop (004 section 2.3, its reference [2]), with its caches in the core and in the radio network
// united: every duplicate ACK for a kept segment is absorbed, so that its source neither repairs nor sends
// more, and a loss is repaired until the UE has the segment.
// Tests: tests/unit/ack/stages/snoop_test.cc
#pragma once
#include "dataplane/ack/stages/local_repair.h"
#include "dataplane/ack/stages/new_snoop_config.h"

namespace dp {

class NewSnoop : public LocalRepair<NewSnoop, NewSnoopSpec> {
 public:
  using LocalRepair::LocalRepair;

  static constexpr AckFate kOld = AckFate::drop;
  static constexpr bool kBacksOff = true;

  AckFate on_duplicate(PerFlow& own, KeptSegment& segment, StageContext& context) noexcept {
    if (own.repairing && own.expected > 0) {
      --own.expected;
      return AckFate::drop;
    }
    return repair(own, segment, context) ? AckFate::drop : AckFate::pass;
  }

  // The UE acknowledges nothing more without this segment, so the newest kept one, which is needed last,
  // makes room.
  DataFate take_into_full(const Flow& flow, const Arriving&, StageContext& context) const noexcept {
    if (config().places == Places::apart) return past_limit();
    SegmentStore& store = *context.store();
    const std::uint32_t idle = store.count_of(flow.index, KeptSegment::kIdle);
    if (idle == 0) return past_limit();
    context.let_go(*store.nth(flow.index, idle - 1, KeptSegment::kIdle));
    return DataFate::pass;
  }
};

}  // namespace dp
