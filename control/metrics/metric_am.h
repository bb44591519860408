// The families that tell of RLC acknowledged mode and the air below it: the same for classes and for bearers.
#pragma once
#include <string>

#include "control/metrics/families.h"
#include "dataplane/rlc/am_event_totals.h"

namespace control {

class AmFamilies {
 public:
  // `whose` completes the help texts.
  AmFamilies(const std::string& prefix, const std::string& whose)
      : pdus_(Family::counter(
            prefix + "_pdus_total",
            "RLC AM PDUs" + whose + " sent in this direction; status PDUs report on the other one.")),
        frames_(
            Family::counter(prefix + "_frames_total",
                            "Frames of PDUs" + whose +
                                " sent over an air, a TTI each, by their fate; with `errors: pdu` the blocks "
                                "of which each has its own.")),
        recoveries_(Family::counter(
            prefix + "_recoveries_total",
            "RLC procedures" + whose + " that gave data up: SDUs discarded (mrw), or the link reset.")) {}

  void add(const Labels& labels, const dp::AmEventTotals& totals) {
    using dp::AmEvent;
    add(pdus_, labels, "kind", "new", totals[AmEvent::pdu_new]);
    add(pdus_, labels, "kind", "retransmitted", totals[AmEvent::pdu_retransmitted]);
    add(pdus_, labels, "kind", "status", totals[AmEvent::pdu_status]);
    add(frames_, labels, "outcome", "received", totals[AmEvent::frame_received]);
    add(frames_, labels, "outcome", "lost", totals[AmEvent::frame_lost]);
    add(recoveries_, labels, "kind", "mrw", totals[AmEvent::discard]);
    add(recoveries_, labels, "kind", "reset", totals[AmEvent::reset]);
    any_ = true;
  }
  // Nothing of what has no series.
  void into(Families& out) {
    if (!any_) return;
    for (Family* family : {&pdus_, &frames_, &recoveries_}) family->into(out);
  }

 private:
  static void add(Family& family, Labels labels, const char* name, const char* value, std::uint64_t count) {
    labels.push_back(label(name, value));
    family.add(std::move(labels), count);
  }

  Family pdus_, frames_, recoveries_;
  bool any_ = false;
};

}  // namespace control
