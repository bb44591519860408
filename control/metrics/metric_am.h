// The families of RLC acknowledged mode and the air below it: shared by classes and bearers.
#pragma once
#include <string>

#include "control/metrics/families.h"
#include "dataplane/rlc/am_event_totals.h"

namespace control {

class AmFamilies {
 public:
  // `whose` completes the help texts.
  AmFamilies(const std::string& prefix, const std::string& whose) {
    using dp::AmEvent;
    families_
        .counter(prefix + "_pdus_total",
                 "RLC AM PDUs" + whose + " sent in this direction; status PDUs report on the other one.",
                 [](Series series, const dp::AmEventTotals& totals) {
                   series.add({label("kind", "new")}, totals[AmEvent::pdu_new]);
                   series.add({label("kind", "retransmitted")}, totals[AmEvent::pdu_retransmitted]);
                   series.add({label("kind", "status")}, totals[AmEvent::pdu_status]);
                 })
        .counter(prefix + "_frames_total",
                 "Frames of PDUs" + whose +
                     " sent over an air, a TTI each, by their fate; with `errors: pdu` the blocks "
                     "of which each has its own.",
                 [](Series series, const dp::AmEventTotals& totals) {
                   series.add({label("outcome", "received")}, totals[AmEvent::frame_received]);
                   series.add({label("outcome", "lost")}, totals[AmEvent::frame_lost]);
                 })
        .counter(prefix + "_recoveries_total",
                 "RLC procedures" + whose + " that gave data up: SDUs discarded (mrw), or the link reset.",
                 [](Series series, const dp::AmEventTotals& totals) {
                   series.add({label("kind", "mrw")}, totals[AmEvent::discard]);
                   series.add({label("kind", "reset")}, totals[AmEvent::reset]);
                 });
  }

  void add(const Labels& labels, const dp::AmEventTotals& totals) {
    families_.add(labels, totals);
    any_ = true;
  }
  // Appends nothing if no series was added.
  void into(Families& out) {
    if (any_) families_.into(out);
  }

 private:
  FamilyGroup<dp::AmEventTotals> families_;
  bool any_ = false;
};

}  // namespace control
