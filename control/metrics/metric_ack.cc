#include "control/metrics/ack_sum.h"
#include "control/metrics/metric_groups.h"

namespace control {

void add_ack_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  FamilyGroup<AckSum> classes;
  classes
      .counter("rncd_ack_events_total", "What became of ACKs and segments at a stage.",
               [](Series series, const AckSum& sum) {
                 for (std::size_t s = 0; s < sum.stages.size(); ++s) {
                   for (std::size_t e = 0; e < dp::kAckEvents; ++e) {
                     series.add(
                         {label("stage", dp::AckList::kNames[s]), label("event", dp::kAckEventNames[e])},
                         sum.stages[s][e]);
                   }
                 }
               })
      .gauge("rncd_held_acks", "ACKs that stages hold.", [](const AckSum& sum) { return sum.held; })
      .gauge("rncd_kept_segments",
             "Segments that ACK stages keep until the UE has them, those that wait included.",
             [](const AckSum& sum) { return sum.kept; })
      .gauge("rncd_flows", "TCP connections that ACK stages follow.",
             [](const AckSum& sum) { return sum.flows; })
      .counter("rncd_unfollowed_segments_total",
               "TCP segments that passed all stages because their bearer's table of flows was full.",
               [](const AckSum& sum) { return sum.unfollowed; })
      .counter("rncd_corrupt_segments_total",
               "TCP segments that passed all stages because their checksum was wrong.",
               [](const AckSum& sum) { return sum.corrupt; });
  for (std::size_t cls = 0; cls < view.classes.size(); ++cls) {
    AckSum sum;
    for (std::size_t w = 0; w < runtime.workers(); ++w) sum.add(runtime.shared(w).classes[cls].acks);
    classes.add({label("class", view.classes[cls])}, sum);
  }
  classes.into(out);
}

}  // namespace control
