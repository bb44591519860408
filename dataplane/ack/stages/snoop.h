// Snoop (004 sections 2.3 and 3, its reference [1]): repairs losses of the radio from kept segments. The
// first duplicate ACK of each loss goes to the source, and so do those for a segment that the source has sent
// twice, or that reached the limit of local retransmissions.
#pragma once
#include "dataplane/ack/stages/local_repair.h"
#include "dataplane/ack/stages/snoop_config.h"

namespace dp {

class Snoop : public LocalRepair<Snoop, SnoopSpec> {
 public:
  using LocalRepair::LocalRepair;

  static constexpr AckFate kOld = AckFate::pass;
  static constexpr bool kBacksOff = false;

  AckFate on_duplicate(PerFlow& own, KeptSegment& segment, StageContext& context) noexcept {
    constexpr std::uint8_t kAtOnce = 2;
    if (own.duplicates == 1) return AckFate::pass;
    if (own.repairing && own.expected > 0) {
      --own.expected;
      return AckFate::drop;
    }
    if (own.repairing && segment.resent >= kAtOnce) return AckFate::pass;
    return repair(own, segment, context) ? AckFate::drop : AckFate::pass;
  }

  // Passes it without keeping it.
  DataFate take_into_full(const Flow&, const Arriving&, StageContext&) const noexcept { return past_limit(); }
};
static_assert(sizeof(Snoop::PerFlow) <= 104);

}  // namespace dp
