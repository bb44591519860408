#include "control/rpc/stats.h"

#include <array>

#include "control/metrics/account_sum.h"
#include "control/metrics/ack_sum.h"
#include "control/rpc/bearer_json.h"

namespace control {
namespace {

using rpc::Json;

Json count_json(const dp::FrameTotals& count) { return {{"frames", count.frames}, {"bytes", count.bytes}}; }

template <std::size_t kN>
Json reasons_json(const std::array<dp::FrameTotals, kN>& counts,
                  const std::array<std::string_view, kN>& names) {
  Json json = Json::object();
  for (std::size_t r = 0; r < kN; ++r) json[std::string(names[r])] = count_json(counts[r]);
  return json;
}

Json interface_json(const PortView& view) {
  if (!view.watched || view.link.index == 0) return nullptr;
  return {{"name", view.link.name},
          {"index", view.link.index},
          {"mtu", view.link.mtu},
          {"address", view.link.address},
          {"xdp_program", view.link.xdp_program}};
}

// The first problem of the port; empty: none.
const std::string& reason_of(const PortView& view) {
  if (!view.taken_down.empty()) return view.taken_down;
  return view.reason.empty() ? view.unfit : view.reason;
}

// Empty: none.
std::string_view hint_of(const DataPlane& plane) {
  if (!plane.config().dataplane.gtp_u || plane.runtime().workers() == 1) return {};
  return "frames in GTP-U tunnels are spread over workers by the tunnels' ends: those of one RNC, eNodeB or "
         "gNB come to one worker, which hands them to the workers of their UEs";
}

Json port_json(const DataPlane& plane, dp::Side side, const dp::FrameAccount& account, const PortView& view) {
  const dp::Runtime& runtime = plane.runtime();
  const PortState state = state_of(view, runtime.carrier_up(side));
  const dp::PortReport port = runtime.port(side);
  const dp::PortLosses losses = runtime.losses(side);
  const std::size_t at = dp::index(side);
  return {{"device", port.device},
          {"driver", port.driver},
          {"description", port.description},
          {"max_frame", port.max_frame},
          {"link_up", state == PortState::up},
          {"state", name(state)},
          {"reason", reason_of(view)},
          {"hint", hint_of(plane)},
          {"rebinds", view.rebinds},
          {"interface", interface_json(view)},
          {"received", count_json(account.received[at])},
          {"sent", count_json(account.sent[at])},
          {"dropped", reasons_json(account.dropped[at], dp::kDropReasonNames)},
          {"passed", reasons_json(account.passed[at], dp::kPassReasonNames)},
          {"losses",
           {{"missed", losses.missed},
            {"errors", losses.errors},
            {"no_mbuf", losses.no_mbuf},
            {"transmit_errors", losses.transmit_errors}}}};
}

Json frames_by_port(const std::array<dp::FrameTotals, 2>& totals) {
  Json json = Json::object();
  for (const dp::Side side : dp::kSides) json[std::string(dp::name(side))] = totals[dp::index(side)].frames;
  return json;
}

Json worker_json(std::size_t id, const dp::WorkerSnapshot& s, const WorkerLoad& load) {
  return {{"id", id},
          {"polls", s.polls},
          {"busy_polls", s.busy_polls},
          {"polling", load.polling},
          {"busy_ratio", load.busy_ratio},
          {"cycles_per_packet", load.cycles_per_packet},
          {"timers", s.timers},
          {"bearers", s.bearers},
          {"received", frames_by_port(s.account.received)},
          {"sent", frames_by_port(s.account.sent)},
          {"created", s.account.creations()},
          {"given", s.account.given},
          {"taken", s.account.taken},
          {"buffered", s.account.buffered},
          {"held", s.account.held},
          {"retained", s.account.retained},
          {"egress", s.account.egress},
          {"residue", s.account.residue()}};
}

Json acks_json(const AckSum& sum) {
  Json stages = Json::object();
  for (std::size_t s = 0; s < sum.stages.size(); ++s) {
    Json& stage = stages[std::string(dp::AckList::kNames[s])];
    for (std::size_t e = 0; e < dp::kAckEvents; ++e) {
      stage[std::string(dp::kAckEventNames[e])] = sum.stages[s][e];
    }
  }
  return {{"held", sum.held},
          {"kept", sum.kept},
          {"flows", sum.flows},
          {"unfollowed_segments", sum.unfollowed},
          {"corrupt_segments", sum.corrupt},
          {"stages", std::move(stages)}};
}

Json class_json(dp::Runtime& runtime, const std::string& name, std::size_t cls) {
  std::uint64_t bearers = 0;
  std::array<std::array<std::uint64_t, 5>, 2> legs{};
  std::array<dp::AmEventTotals, 2> am;
  AckSum acks;
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    const dp::ClassCounters& stats = runtime.shared(w).classes[cls];
    bearers += stats.bearers.get();
    acks.add(stats.acks);
    for (std::size_t d = 0; d < 2; ++d) {
      const dp::ClassLegCounters& leg = stats.legs[d];
      const std::array counters{&leg.buffer_sdus, &leg.buffer_bytes, &leg.delivered_sdus,
                                &leg.delivered_bytes};
      for (std::size_t c = 0; c < counters.size(); ++c) legs[d][c] += counters[c]->get();
      for (const dp::Counter& dropped : leg.dropped_sdus) legs[d][4] += dropped.get();
      for (std::size_t e = 0; e < dp::kAmEvents; ++e) am[d].counts[e] += leg.am[e].get();
    }
  }
  Json json = {{"name", name}, {"bearers", bearers}, {"acks", acks_json(acks)}};
  for (const dp::Direction d : dp::kDirections) {
    const auto& leg = legs[dp::index(d)];
    json[std::string(dp::name(d))] = {{"buffer_sdus", leg[0]},    {"buffer_bytes", leg[1]},
                                      {"delivered_sdus", leg[2]}, {"delivered_bytes", leg[3]},
                                      {"dropped_sdus", leg[4]},   {"rlc", rpc::to_json(am[dp::index(d)])}};
  }
  return json;
}

Json aged_json(const AgedCounts& aged) {
  Json json = Json::object();
  for (std::size_t why = 0; why < aged.size(); ++why) json[std::string(kAgedForNames[why])] = aged[why];
  return json;
}

Json pool_json(const dp::Runtime& runtime) {
  const dp::PoolReport pool = runtime.pool();
  return {{"mbufs", pool.mbufs},
          {"in_use", pool.in_use},
          {"buffer_cap", pool.buffer_cap},
          {"parked", pool.parked}};
}

}  // namespace

rpc::Json stats_json(const DataPlane& plane, const View& view) {
  dp::Runtime& runtime = plane.runtime();
  const dp::FrameAccount account = sum_accounts(runtime);
  Json workers = Json::array();
  for (std::size_t w = 0; w < runtime.workers(); ++w) {
    workers.push_back(worker_json(w, runtime.shared(w).snapshot.read(),
                                  w < view.load.size() ? view.load[w] : WorkerLoad{}));
  }
  Json classes = Json::array();
  for (std::size_t c = 0; c < plane.config().classes.size(); ++c) {
    classes.push_back(class_json(runtime, plane.config().classes[c].name, c));
  }
  const auto uptime = static_cast<double>(dp::ns(runtime.now())) / 1e9;
  return {{"mode", dp::name(plane.modes().mode())},
          {"unknown", dp::name(plane.config().dataplane.unknown)},
          {"uptime_seconds", uptime},
          {"bearers",
           {{"count", plane.registry().size()},
            {"capacity", plane.bearers().capacity()},
            {"learnt", plane.registry().count(Origin::learnt)},
            {"stocked", plane.bearers().pooled()},
            {"aged", aged_json(plane.bearers().aged())}}},
          {"ports",
           {{"core", port_json(plane, dp::Side::core, account, view.ports[0])},
            {"radio", port_json(plane, dp::Side::radio, account, view.ports[1])}}},
          {"workers", std::move(workers)},
          {"classes", std::move(classes)},
          {"pool", pool_json(runtime)},
          {"residue", account.residue()}};
}

}  // namespace control
