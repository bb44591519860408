#include "control/metrics/ack_sum.h"
#include "control/metrics/metric_groups.h"

namespace control {
void add_ack_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  Family events = Family::counter("rncd_ack_events_total", "What became of ACKs and segments at a stage.");
  Family held = Family::gauge("rncd_held_acks", "ACKs that stages hold.");
  Family kept = Family::gauge(
      "rncd_kept_segments", "Segments that ACK stages keep until the UE has them, those that wait included.");
  Family flows = Family::gauge("rncd_flows", "TCP connections that ACK stages follow.");
  Family unfollowed =
      Family::counter("rncd_unfollowed_segments_total",
                      "TCP segments that passed all stages because their bearer's table of flows was full.");
  Family corrupt = Family::counter("rncd_corrupt_segments_total",
                                   "TCP segments that passed all stages because their checksum was wrong.");
  for (std::size_t cls = 0; cls < view.classes.size(); ++cls) {
    AckSum sum;
    for (std::size_t w = 0; w < runtime.workers(); ++w) sum.add(runtime.shared(w).classes[cls].acks);
    const Labels of_class{label("class", view.classes[cls])};
    for (std::size_t s = 0; s < sum.stages.size(); ++s) {
      for (std::size_t e = 0; e < dp::kAckEvents; ++e) {
        events.add(
            {of_class[0], label("stage", dp::AckList::kNames[s]), label("event", dp::kAckEventNames[e])},
            sum.stages[s][e]);
      }
    }
    held.add(of_class, sum.held);
    kept.add(of_class, sum.kept);
    flows.add(of_class, sum.flows);
    unfollowed.add(of_class, sum.unfollowed);
    corrupt.add(of_class, sum.corrupt);
  }
  for (Family* family : {&events, &held, &kept, &flows, &unfollowed, &corrupt}) family->into(out);
}

}  // namespace control
