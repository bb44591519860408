// UEs that were learnt no longer, or not at all.
#include "control/metrics/metric_groups.h"
#include "control/plane/learning_log.h"

namespace control {

void add_learning_metrics(Families& out, const dp::FrameAccount& account, const View& view) {
  Family::counter(
      "rncd_aged_bearers_total",
      "Learnt bearers that ended: idle for the rule's time; unanswered, by a UE that did not show that it is "
      "there; displaced, the same when the rule's limit was reached.")
      .add_named({}, "cause", kAgedForNames, view.aged)
      .into(out);
  const Unlearnt refused = unlearnt(account);
  Family::counter(
      "rncd_unlearnt_frames_total",
      "Frames of UEs that a rule would have learnt, passed or dropped as `unknown` says: limit, the "
      "rule's or the table's was reached; stock_empty, no prepared bearer was left; cell_full, the rule's "
      "cell had no place left.")
      .add({label("reason", "limit")}, refused.limit)
      .add({label("reason", "stock_empty")}, refused.stock_empty)
      .add({label("reason", "cell_full")}, refused.cell_full)
      .into(out);
}

}  // namespace control
