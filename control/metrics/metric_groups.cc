#include "control/metrics/metric_groups.h"

#include <array>

#include "control/metrics/metric_am.h"

namespace control {
namespace {

using dp::Direction;
using dp::Side;

// One family a count of frames, one for their bytes.
class FramesAndBytes {
 public:
  FramesAndBytes(const std::string& name, const std::string& what)
      : frames_(Family::counter("rncd_" + name + "_frames_total", "Frames " + what + ".")),
        bytes_(Family::counter("rncd_" + name + "_bytes_total",
                               "Bytes of frames " + what + ", link header included.")) {}

  void add(const Labels& labels, const dp::FrameTotals& count) {
    frames_.add(labels, count.frames);
    bytes_.add(labels, count.bytes);
  }
  template <class Counts, class Names>
  void add_reasons(Side side, const Counts& counts, const Names& names) {
    for (std::size_t r = 0; r < names.size(); ++r) {
      add({label("port", dp::name(side)), label("reason", names[r])}, counts[r]);
    }
  }
  void into(Families& out) {
    frames_.into(out);
    bytes_.into(out);
  }

 private:
  Family frames_;
  Family bytes_;
};

void add_losses(Families& out, const dp::Runtime& runtime, const View& view) {
  Family losses =
      Family::counter("rncd_port_losses_total", "Frames lost in a driver, before receive or after transmit.");
  Family up = Family::gauge("rncd_port_up", "1 when frames pass: the port is bound and its link is up.");
  Family states = Family::gauge("rncd_port_state", "1 for the state the port is in.");
  Family unfit =
      Family::gauge("rncd_port_unfit",
                    "1 while the port is bound to an interface whose MTU, offloads or channels have "
                    "changed so that frames are lost or altered.");
  Family rebinds =
      Family::counter("rncd_port_rebinds_total",
                      "Times the port was bound again after its interface or XDP program was gone.");
  for (const Side side : dp::kSides) {
    const dp::PortLosses l = runtime.losses(side);
    const auto port = label("port", dp::name(side));
    losses.add({port, label("kind", "missed")}, l.missed);
    losses.add({port, label("kind", "errors")}, l.errors);
    losses.add({port, label("kind", "no_mbuf")}, l.no_mbuf);
    losses.add({port, label("kind", "transmit_errors")}, l.transmit_errors);
    const PortView& seen = view.ports[dp::index(side)];
    const PortState state = state_of(seen, runtime.carrier_up(side));
    up.add({port}, state == PortState::up ? 1.0 : 0.0);
    for (std::size_t s = 0; s < kPortStateNames.size(); ++s) {
      states.add({port, label("state", kPortStateNames[s])}, dp::index(state) == s ? 1.0 : 0.0);
    }
    rebinds.add({port}, seen.rebinds);
    unfit.add({port}, seen.unfit.empty() ? 0.0 : 1.0);
  }
  for (Family* family : {&losses, &up, &states, &unfit, &rebinds}) family->into(out);
}

void add_balance(Families& out, const View& view) {
  double most = 0, least = view.load.empty() ? 0 : 1;
  for (const WorkerLoad& load : view.load) {
    most = std::max(most, load.busy_ratio);
    least = std::min(least, load.busy_ratio);
  }
  Family::gauge("rncd_worker_imbalance_ratio",
                "Busy ratio of the busiest worker less that of the idlest, over the last second.")
      .add({}, most - least)
      .into(out);
  Family moved =
      Family::counter("rncd_moved_bearers_total",
                      "Bearers that went to another worker: by request, for the workers' load, or to the "
                      "one that has its cell.");
  for (std::size_t why = 0; why < kMovedForNames.size(); ++why) {
    moved.add({label("cause", kMovedForNames[why])}, view.moved[why]);
  }
  moved.into(out);
}

}  // namespace

void add_port_metrics(Families& out, dp::Runtime& runtime, const View& view,
                      const dp::FrameAccount& account) {
  FramesAndBytes received("received", "received by a port");
  FramesAndBytes sent("sent", "sent by a port");
  FramesAndBytes dropped("dropped", "dropped, by the port that received them and the reason");
  FramesAndBytes passed("passed", "sent on past the bearers, by the port that received them and the reason");
  FramesAndBytes created("created",
                         "that nobody has sent to the box, by the port that they are for and the reason");
  for (const Side side : dp::kSides) {
    const std::size_t at = dp::index(side);
    received.add({label("port", dp::name(side))}, account.received[at]);
    sent.add({label("port", dp::name(side))}, account.sent[at]);
    dropped.add_reasons(side, account.dropped[at], dp::kDropReasonNames);
    passed.add_reasons(side, account.passed[at], dp::kPassReasonNames);
    created.add_reasons(side, account.created[at], dp::kCreationNames);
  }
  received.into(out);
  sent.into(out);
  dropped.into(out);
  passed.into(out);
  created.into(out);
  add_losses(out, runtime, view);
}

void add_worker_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  Family ratio = Family::gauge("rncd_worker_busy_ratio",
                               "Share of the last second spent in polls that did something, 0 to 1.");
  Family seconds = Family::counter("rncd_worker_busy_seconds_total", "Time in polls that did something.");
  Family cycles = Family::gauge("rncd_worker_cycles_per_packet",
                                "CPU cycles in such polls a frame received, in the last second with any.");
  Family polling = Family::gauge("rncd_worker_polling",
                                 "1 while the worker polls, 0 when it has not for a second: it hangs.");
  Family stolen = Family::counter(
      "rncd_worker_stolen_seconds_total",
      "Time in which the worker could have run and other threads had its CPU, by the kernel's "
      "scheduler; what the host of a virtual machine takes is not in it.");
  Family timers = Family::gauge("rncd_worker_timers", "Deadlines armed.");
  Family bearers = Family::gauge("rncd_worker_bearers", "Bearers that the worker has.");
  Family received = Family::counter("rncd_worker_received_frames_total",
                                    "Frames that the worker received by its queue of the port.");
  Family sent = Family::counter("rncd_worker_sent_frames_total",
                                "Frames that the worker sent by its queue of the port.");
  Family given =
      Family::counter("rncd_worker_given_frames_total",
                      "Frames handed to other workers: to the one that has the UE, or the port's queue.");
  Family taken = Family::counter("rncd_worker_taken_frames_total", "Frames that other workers handed over.");
  Family learnt =
      Family::counter("rncd_learnt_bearers_total", "Bearers made for UEs when they were first heard of.");
  Family stocked = Family::gauge("rncd_stocked_bearers", "Prepared bearers waiting for UEs to be learnt.");
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    const dp::WorkerSnapshot s = runtime.shared(w).snapshot.read();
    const WorkerLoad load = w < view.load.size() ? view.load[w] : WorkerLoad{};
    const Labels worker{label("worker", std::to_string(w))};
    ratio.add(worker, load.busy_ratio);
    seconds.add(worker, static_cast<double>(s.busy_ns) / 1e9);
    cycles.add(worker, load.cycles_per_packet);
    polling.add(worker, std::uint64_t{load.polling});
    if (load.stolen_ns) stolen.add(worker, static_cast<double>(*load.stolen_ns) / 1e9);
    timers.add(worker, s.timers);
    bearers.add(worker, s.bearers);
    for (const dp::Side side : dp::kSides) {
      const Labels queue{worker.front(), label("port", dp::name(side))};
      received.add(queue, s.account.received[dp::index(side)].frames);
      sent.add(queue, s.account.sent[dp::index(side)].frames);
    }
    given.add(worker, s.account.given);
    taken.add(worker, s.account.taken);
    learnt.add(worker, s.learnt);
    stocked.add(worker, s.stocked);
  }
  for (Family* family : {&ratio, &seconds, &cycles, &polling, &stolen, &timers, &bearers, &received, &sent,
                         &given, &taken, &learnt, &stocked})
    family->into(out);
  add_balance(out, view);
}

void add_change_metrics(Families& out, const ChangeStats& changes) {
  std::array<std::uint64_t, dp::DurationHistogram::kBounds.size() + 1> buckets{};
  for (std::size_t b = 0; b < buckets.size(); ++b) buckets[b] = changes.seconds.bucket(b);
  Family seconds("rncd_reconfigure_seconds",
                 "Time from the last byte of a request to the worker's answer that a running bearer's new "
                 "rate and parameters are in force; one for each bearer.",
                 prometheus::MetricType::Histogram);
  fill_histogram(seconds.append({}).histogram, buckets, changes.seconds.sum_ns());
  seconds.into(out);
  Family::counter(
      "rncd_reconfigure_lost_frames_total",
      "Frames that such a change made the worker drop. Not 0 where a bearer in mode `block` got a link of "
      "another kind, or a port cannot send what waited; else a fault in rncd.")
      .add({}, changes.lost_frames.get())
      .into(out);
}

void add_bearer_metrics(Families& out, const View& view) {
  if (view.top.empty()) return;
  Family sdus = Family::gauge("rncd_bearer_buffer_sdus", "SDUs in the buffers of the fullest bearers.");
  Family bytes = Family::gauge("rncd_bearer_buffer_bytes", "IP bytes in the buffers of the fullest bearers.");
  Family delivered =
      Family::counter("rncd_bearer_delivered_bytes_total", "IP bytes delivered by the fullest bearers.");
  Family dropped = Family::counter("rncd_bearer_dropped_sdus_total", "SDUs dropped by the fullest bearers.");
  AmFamilies am("rncd_bearer_rlc", " of the fullest bearers");
  for (const TopBearer& bearer : view.top) {
    for (const Direction d : dp::kDirections) {
      const TopBearer::Leg& leg = bearer.legs[dp::index(d)];
      const Labels labels{label("ue", bearer.ue), label("direction", dp::name(d))};
      sdus.add(labels, leg.queued_sdus);
      bytes.add(labels, leg.queued_bytes);
      delivered.add(labels, leg.delivered_bytes);
      dropped.add(labels, leg.dropped_sdus);
      if (leg.am) am.add(labels, *leg.am);
    }
  }
  for (Family* family : {&sdus, &bytes, &delivered, &dropped}) family->into(out);
  am.into(out);
}

}  // namespace control
