#include "tools/lab/run/trace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dataplane/base/expect.h"
#include "tools/lab/figures/stats.h"
#include "tools/lab/run/flow_run.h"

namespace lab {
namespace {

std::string exact(double value) { return fmt::format("{:.9g}", value); }

// With nanosecond resolution.
std::string exact_time(double at) { return fmt::format("{:.9f}", at); }

}  // namespace

TraceRecorder::TraceRecorder(const Scenario& scenario) {
  for (const Flow& flow : scenario.flows) {
    for (std::uint32_t n = 0; n < flow.count; ++n) {
      flows_.push_back({flow_id(flow, n), static_cast<double>(flow.tcp.mss)});
    }
  }
  for (const auto& bearer : scenario.bearers) bearers_.push_back(to_string(bearer.ue));
  handovers_.resize(bearers_.size());
}

// A partial segment at the end counts as one. With overlapping connections, the later one's segments are
// numbered after those that the earlier ones had sent by then.
double TraceRecorder::segment(const DataPoint& point) {
  DP_EXPECT(point.flow < flows_.size());
  FlowState& flow = flows_[point.flow];
  if (point.connection > flow.connection) {
    flow.connection = point.connection;
    flow.base = flow.highest;
  }
  const double end = flow.base + static_cast<double>(point.position + point.payload) / flow.mss;
  if (point.payload > 0) flow.highest = std::max(flow.highest, std::ceil(end));
  return flow.base + static_cast<double>(point.position) / flow.mss;
}

void TraceRecorder::add_flow(dp::Time at, std::string_view event, std::size_t flow, double value,
                             std::string_view where) {
  events_.push_back({seconds(at), event, static_cast<std::uint32_t>(flow), true, value, std::string(where)});
}

void TraceRecorder::add_bearer(dp::Time at, std::string_view event, std::size_t bearer, double value) {
  DP_EXPECT(bearer < bearers_.size());
  events_.push_back({seconds(at), event, static_cast<std::uint32_t>(bearer), false, value, {}});
}

void TraceRecorder::sent(const DataPoint& point, bool retransmission) {
  add_flow(point.at, retransmission ? "resent" : "sent", point.flow, segment(point));
}

void TraceRecorder::acked(const DataPoint& point) {
  if (point.position >= 0) add_flow(point.at, "acked", point.flow, segment(point));
}

void TraceRecorder::received(const DataPoint& point, std::uint32_t fresh) {
  add_flow(point.at, fresh > 0 ? "received" : "repeated", point.flow, segment(point));
}

void TraceRecorder::dropped(const DataPoint& point, std::string_view where) {
  add_flow(point.at, "dropped", point.flow, segment(point), where);
}

void TraceRecorder::window(dp::Time at, std::size_t flow, double cwnd, double ssthresh) {
  DP_EXPECT(flow < flows_.size());
  FlowState& state = flows_[flow];
  if (cwnd != state.cwnd) add_flow(at, "cwnd", flow, cwnd / state.mss);
  if (ssthresh != state.ssthresh) add_flow(at, "ssthresh", flow, ssthresh / state.mss);
  state.cwnd = cwnd;
  state.ssthresh = ssthresh;
}

void TraceRecorder::timed_out(dp::Time at, std::size_t flow) { add_flow(at, "timeout", flow, 1); }

void TraceRecorder::handed_over(dp::Time at, std::size_t bearer) {
  DP_EXPECT(bearer < handovers_.size());
  add_bearer(at, "handover", bearer, static_cast<double>(++handovers_[bearer]));
}

void TraceRecorder::tunnel_ended(dp::Time at, std::size_t bearer, std::uint64_t late) {
  add_bearer(at, "end-marker", bearer, static_cast<double>(late));
}

void TraceRecorder::occupancy(dp::Time at, std::size_t bearer, std::uint32_t sdus) {
  add_bearer(at, "bo", bearer, sdus);
}

void TraceRecorder::rate(dp::Time at, std::size_t bearer, std::uint64_t bit_s) {
  add_bearer(at, "rate", bearer, static_cast<double>(bit_s));
}

void TraceRecorder::air_lost(dp::Time at, std::size_t bearer, dp::Direction direction, std::uint64_t frames) {
  add_bearer(at, direction == dp::Direction::downlink ? "downlink-lost" : "uplink-lost", bearer,
             static_cast<double>(frames));
}

const std::string& TraceRecorder::name_of(const TraceEvent& event) const {
  return event.of_flow ? flows_[event.of].id : bearers_[event.of];
}

std::string TraceRecorder::csv() const {
  std::string out = "time_s,event,of,value,where\n";
  for (const TraceEvent& e : events_) {
    out += exact_time(e.at) + ',' + std::string(e.event) + ',' + name_of(e) + ',' + exact(e.value) + ',' +
           e.where + '\n';
  }
  return out;
}

Json TraceRecorder::json() const {
  Json all = Json::array();
  std::vector<std::pair<std::string, std::size_t>> positions;
  for (const TraceEvent& e : events_) {
    const std::string key = std::string(e.event) + " " + name_of(e);
    auto at = std::ranges::find(positions, key, &std::pair<std::string, std::size_t>::first);
    if (at == positions.end()) {
      at = positions.insert(positions.end(), {key, positions.size()});
      all.push_back({{"event", e.event}, {"of", name_of(e)}, {"points", Json::array()}});
    }
    all[at->second]["points"].push_back({e.at, e.value});
  }
  return all;
}

// Shows the first bearer's occupancy.
TracePlot TraceRecorder::plot(const std::string& title) const {
  TracePlot out{title, {}, {}};
  for (const FlowState& flow : flows_) out.flows.push_back({flow.id, {}, {}, {}, {}});
  for (const TraceEvent& e : events_) {
    const std::pair point(e.at, e.value);
    if (e.event == "bo" && e.of == 0) out.bo.push_back(point);
    if (!e.of_flow) continue;
    FlowTrace& flow = out.flows[e.of];
    if (e.event == "cwnd") flow.cwnd.push_back(point);
    if (e.event == "sent" || e.event == "resent") flow.sent.push_back(point);
    if (e.event == "received") flow.received.push_back(point);
    if (e.event == "dropped") flow.dropped.push_back(point);
  }
  return out;
}

}  // namespace lab
