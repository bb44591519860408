#include "control/metrics/metric_groups.h"

#include <array>
#include <optional>

#include "control/metrics/metric_am.h"

namespace control {
namespace {

using dp::Direction;
using dp::Side;

// The counters of one port.
struct PortReading {
  Side side;
  const dp::FrameAccount& account;
};

// One family for a count of frames, one for their bytes; counts(reading) returns FrameTotals, one or by name.
template <class Counts>
void add_frames(FamilyGroup<PortReading>& to, const std::string& name, const std::string& what,
                Counts counts) {
  to.counter("rncd_" + name + "_frames_total", "Frames " + what + ".",
             [counts](Series series, const PortReading& port) {
               counts(port,
                      [&](const Labels& labels, const dp::FrameTotals& t) { series.add(labels, t.frames); });
             });
  to.counter("rncd_" + name + "_bytes_total", "Bytes of frames " + what + ", link header included.",
             [counts](Series series, const PortReading& port) {
               counts(port,
                      [&](const Labels& labels, const dp::FrameTotals& t) { series.add(labels, t.bytes); });
             });
}
// Counts by the reasons of `names`.
template <class Names, class Reasons>
auto by_reason(const Names& names, Reasons reasons) {
  return [&names, reasons](const PortReading& port, const auto& add) {
    const auto& counts = reasons(port.account)[dp::index(port.side)];
    for (std::size_t r = 0; r < names.size(); ++r) add({label("reason", names[r])}, counts[r]);
  };
}

// The state of a port, and what its driver lost.
struct DriverReading {
  dp::PortLosses losses;
  const PortView& seen;
  PortState state;
};

void add_losses(Families& out, const dp::Runtime& runtime, const View& view) {
  FamilyGroup<DriverReading> ports;
  ports
      .counter("rncd_port_losses_total", "Frames lost in a driver, before receive or after transmit.",
               [](Series series, const DriverReading& port) {
                 series.add({label("kind", "missed")}, port.losses.missed);
                 series.add({label("kind", "errors")}, port.losses.errors);
                 series.add({label("kind", "no_mbuf")}, port.losses.no_mbuf);
                 series.add({label("kind", "transmit_errors")}, port.losses.transmit_errors);
               })
      .gauge("rncd_port_up", "1 when frames pass: the port is bound and its link is up.",
             [](const DriverReading& port) { return port.state == PortState::up ? 1.0 : 0.0; })
      .gauge("rncd_port_state", "1 for the state the port is in.",
             [](Series series, const DriverReading& port) {
               for (std::size_t s = 0; s < kPortStateNames.size(); ++s) {
                 series.add({label("state", kPortStateNames[s])}, dp::index(port.state) == s ? 1.0 : 0.0);
               }
             })
      .gauge("rncd_port_unfit",
             "1 while the port is bound to an interface whose MTU, offloads or channels have "
             "changed so that frames are lost or altered.",
             [](const DriverReading& port) { return port.seen.unfit.empty() ? 0.0 : 1.0; })
      .counter("rncd_port_rebinds_total",
               "Times the port was bound again after its interface or XDP program was gone.",
               [](const DriverReading& port) { return port.seen.rebinds; });
  for (const Side side : dp::kSides) {
    const PortView& seen = view.ports[dp::index(side)];
    ports.add({label("port", dp::name(side))},
              {runtime.losses(side), seen, state_of(seen, runtime.carrier_up(side))});
  }
  ports.into(out);
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
  Family::counter("rncd_moved_bearers_total",
                  "Bearers that went to another worker: by request, for the workers' load, or to the "
                  "one that has its cell.")
      .add_named({}, "cause", kMovedForNames, view.moved)
      .into(out);
}

// The counters and the load of one worker.
struct WorkerReading {
  const dp::WorkerSnapshot& snapshot;
  const WorkerLoad& load;
};

// Each frame count of the worker's queue of either port.
template <class Frames>
auto by_port(Frames frames) {
  return [frames](Series series, const WorkerReading& worker) {
    for (const Side side : dp::kSides) {
      series.add({label("port", dp::name(side))}, frames(worker.snapshot.account)[dp::index(side)].frames);
    }
  };
}

void declare_polling(FamilyGroup<WorkerReading>& workers) {
  workers
      .gauge("rncd_worker_busy_ratio", "Share of the last second spent in polls that did something, 0 to 1.",
             [](const WorkerReading& worker) { return worker.load.busy_ratio; })
      .counter("rncd_worker_busy_seconds_total", "Time in polls that did something.",
               [](const WorkerReading& worker) { return static_cast<double>(worker.snapshot.busy_ns) / 1e9; })
      .gauge("rncd_worker_cycles_per_packet",
             "CPU cycles in such polls a frame received, in the last second with any.",
             [](const WorkerReading& worker) { return worker.load.cycles_per_packet; })
      .gauge("rncd_worker_polling", "1 while the worker polls, 0 when it has not for a second: it hangs.",
             [](const WorkerReading& worker) { return std::uint64_t{worker.load.polling}; })
      .counter("rncd_worker_stolen_seconds_total",
               "Time in which the worker could have run and other threads had its CPU, by the kernel's "
               "scheduler; what the host of a virtual machine takes is not in it.",
               [](const WorkerReading& worker) {
                 const auto& stolen = worker.load.stolen_ns;
                 return stolen ? std::optional(static_cast<double>(*stolen) / 1e9) : std::nullopt;
               })
      .gauge("rncd_worker_timers", "Deadlines armed.",
             [](const WorkerReading& worker) { return worker.snapshot.timers; })
      .gauge("rncd_worker_bearers", "Bearers that the worker has.",
             [](const WorkerReading& worker) { return worker.snapshot.bearers; });
}

void declare_frames(FamilyGroup<WorkerReading>& workers) {
  workers
      .counter("rncd_worker_received_frames_total",
               "Frames that the worker received by its queue of the port.",
               by_port([](const dp::FrameAccount& account) -> const auto& { return account.received; }))
      .counter("rncd_worker_sent_frames_total", "Frames that the worker sent by its queue of the port.",
               by_port([](const dp::FrameAccount& account) -> const auto& { return account.sent; }))
      .counter("rncd_worker_given_frames_total",
               "Frames handed to other workers: to the one that has the UE, or the port's queue.",
               [](const WorkerReading& worker) { return worker.snapshot.account.given; })
      .counter("rncd_worker_taken_frames_total", "Frames that other workers handed over.",
               [](const WorkerReading& worker) { return worker.snapshot.account.taken; });
}

}  // namespace

void add_port_metrics(Families& out, dp::Runtime& runtime, const View& view,
                      const dp::FrameAccount& account) {
  FamilyGroup<PortReading> ports;
  add_frames(ports, "received", "received by a port", [](const PortReading& port, const auto& add) {
    add({}, port.account.received[dp::index(port.side)]);
  });
  add_frames(ports, "sent", "sent by a port", [](const PortReading& port, const auto& add) {
    add({}, port.account.sent[dp::index(port.side)]);
  });
  add_frames(ports, "dropped", "dropped, by the port that received them and the reason",
             by_reason(
                 dp::kDropReasonNames, [](const auto& a) -> const auto& { return a.dropped; }));
  add_frames(ports, "passed", "sent on past the bearers, by the port that received them and the reason",
             by_reason(
                 dp::kPassReasonNames, [](const auto& a) -> const auto& { return a.passed; }));
  add_frames(ports, "created",
             "that nobody has sent to the box, by the port that they are for and the reason",
             by_reason(
                 dp::kCreationNames, [](const auto& a) -> const auto& { return a.created; }));
  for (const Side side : dp::kSides) ports.add({label("port", dp::name(side))}, {side, account});
  ports.into(out);
  add_losses(out, runtime, view);
}

void add_worker_metrics(Families& out, dp::Runtime& runtime, const View& view) {
  FamilyGroup<WorkerReading> workers;
  declare_polling(workers);
  declare_frames(workers);
  workers
      .counter("rncd_learnt_bearers_total", "Bearers made for UEs when they were first heard of.",
               [](const WorkerReading& worker) { return worker.snapshot.learnt; })
      .gauge("rncd_stocked_bearers", "Prepared bearers waiting for UEs to be learnt.",
             [](const WorkerReading& worker) { return worker.snapshot.pooled; });
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    const dp::WorkerSnapshot snapshot = runtime.shared(w).snapshot.read();
    const WorkerLoad load = w < view.load.size() ? view.load[w] : WorkerLoad{};
    workers.add({label("worker", std::to_string(w))}, {snapshot, load});
  }
  workers.into(out);
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
  FamilyGroup<TopBearer::Leg> legs;
  legs.gauge("rncd_bearer_buffer_sdus", "SDUs in the buffers of the fullest bearers.",
             [](const TopBearer::Leg& leg) { return leg.queued_sdus; })
      .gauge("rncd_bearer_buffer_bytes", "IP bytes in the buffers of the fullest bearers.",
             [](const TopBearer::Leg& leg) { return leg.queued_bytes; })
      .counter("rncd_bearer_delivered_bytes_total", "IP bytes delivered by the fullest bearers.",
               [](const TopBearer::Leg& leg) { return leg.delivered_bytes; })
      .counter("rncd_bearer_dropped_sdus_total", "SDUs dropped by the fullest bearers.",
               [](const TopBearer::Leg& leg) { return leg.dropped_sdus; });
  AmFamilies am("rncd_bearer_rlc", " of the fullest bearers");
  for (const TopBearer& bearer : view.top) {
    for (const Direction d : dp::kDirections) {
      const TopBearer::Leg& leg = bearer.legs[dp::index(d)];
      const Labels labels{label("ue", bearer.ue), label("direction", dp::name(d))};
      legs.add(labels, leg);
      if (leg.am) am.add(labels, *leg.am);
    }
  }
  legs.into(out);
  am.into(out);
}

}  // namespace control
