#include "tools/lab/run/flow_run.h"

#include <algorithm>
#include <cmath>

#include "dataplane/base/expect.h"
#include "tools/lab/figures/stats.h"
#include "tools/lab/run/connection.h"
#include "tools/lab/run/simulation.h"
#include "tools/lab/scenario/draws.h"

namespace lab {
namespace {

enum FlowStream : std::uint64_t { kTraffic, kNumbers };

double p95(const std::vector<std::int64_t>& ns) {
  return ns.empty() ? kNaN : percentile(std::vector<double>(ns.begin(), ns.end()), 95) / 1e9;
}

}  // namespace

std::string flow_id(const Flow& flow, std::uint32_t n) {
  return flow.count == 1 ? flow.name : flow.name + "." + std::to_string(n + 1);
}

FlowRun::FlowRun(const Flow& flow, std::size_t index, std::uint32_t n, const dp::Rng& rng)
    : LabTimer(&FlowRun::fire),
      flow_(flow),
      index_(index),
      rng_(rng.fork(kTraffic)),
      numbers_(rng.fork(kNumbers)) {
  result_.id = flow_id(flow, n);
  result_.finished_at = kNaN;
}

void FlowRun::fire(LabTimer& timer, dp::Time, Simulation& simulation) {
  static_cast<FlowRun&>(timer).next(simulation);
}

void FlowRun::next(Simulation& simulation) {
  std::visit([&](const auto& traffic) { next_of(traffic, simulation); }, flow_.traffic);
}

void FlowRun::schedule(dp::Duration after, Simulation& simulation) {
  simulation.arm(*this, simulation.now() + after);
}

void FlowRun::next_of(const Bulk::Config&, Simulation& simulation) { open(std::nullopt, simulation); }

void FlowRun::next_of(const Files::Config& files, Simulation& simulation) { open(files.size, simulation); }

// Pages and objects are requested at their own times, independent of the network.
void FlowRun::next_of(const Web::Config& web, Simulation& simulation) {
  if (page_left_ == 0) {
    page_left_ = geometric(rng_, web.objects);
    next_page_ = simulation.now() + exponential(rng_, web.gap);
  }
  open(pareto(rng_, static_cast<double>(web.size), web.shape, web.max), simulation);
  DP_EXPECT(page_left_ > 0);
  if (--page_left_ > 0) {
    schedule(exponential(rng_, web.object_gap), simulation);
  } else {
    simulation.arm(*this, std::max(next_page_, simulation.now()));
  }
}

void FlowRun::open(std::optional<std::uint64_t> bytes, Simulation& simulation) {
  DP_EXPECT(!bytes || *bytes > 0);
  Connection& connection = simulation.connect(*this, bytes);
  ++begun_;
  if (bytes) {
    pending_.push_back({connection.id(), result_.transfers.size()});
    result_.transfers.push_back({seconds(simulation.now()), kNaN, *bytes});
  }
  connection.begin(simulation);
}

void FlowRun::arrived(std::uint32_t fresh, std::uint32_t delivered, dp::Duration delay) {
  delivered_ += delivered;
  if (fresh == 0) return;
  delays_.push_back(delay.count());
  delay_sum_ += delay.count();
}

void FlowRun::answered(const Connection& connection, dp::Time now) {
  const auto at = std::ranges::find(pending_, connection.id(), &Pending::connection);
  if (at == pending_.end() || at->transfer == kForgotten) return;
  result_.transfers[at->transfer].answered = seconds(now);
}

void FlowRun::complete(const Connection& connection, bool whole, Simulation& simulation) {
  const auto at = std::ranges::find(pending_, connection.id(), &Pending::connection);
  if (at == pending_.end()) return;
  if (whole && at->transfer != kForgotten)
    result_.transfers[at->transfer].finished = seconds(simulation.now());
  pending_.erase(at);
  const auto* files = std::get_if<Files::Config>(&flow_.traffic);
  if (files == nullptr) return;
  if (files->times == 0 || begun_ < files->times) return schedule(exponential(rng_, files->gap), simulation);
  if (whole) result_.finished_at = seconds(simulation.now());
}

void FlowRun::add(const dp::TcpSenderStats& stats) {
  result_.packets += stats.segments;
  result_.retransmissions += stats.retransmitted;
  result_.timeouts += stats.timeouts;
  result_.fast_retransmits += stats.fast_retransmits;
  round_trips_ += stats.round_trips;
  round_trip_sum_ += stats.round_trip_sum;
}

void FlowRun::forget() {
  result_.packets = result_.retransmissions = result_.timeouts = result_.fast_retransmits = 0;
  round_trips_ = 0;
  round_trip_sum_ = {};
  result_.transfers.clear();
  for (auto& pending : pending_) pending.transfer = kForgotten;
  delays_.clear();
  delay_sum_ = 0;
  delivered_ = early_ = 0;
}

FlowResult FlowRun::result(dp::Time from, dp::Time to) const {
  FlowResult r = result_;
  const double on = seconds(to - std::max(from, dp::Time{flow_.start}));
  const double packet = 40.0 + std::min(flow_.tcp.mss, flow_.sink.mss);
  const bool stamps = flow_.tcp.timestamps && flow_.sink.timestamps;
  r.goodput_1460 = static_cast<double>(delivered_ - std::min(early_, delivered_)) * 8 / on;
  r.goodput_1500 = r.goodput_1460 * packet / (packet - 40 - (stamps ? dp::kTimestampsSize : 0));
  r.delay_mean =
      delays_.empty() ? kNaN : static_cast<double>(delay_sum_) / 1e9 / static_cast<double>(delays_.size());
  r.rtt_mean = round_trips_ == 0 ? kNaN : seconds(round_trip_sum_) / static_cast<double>(round_trips_);
  r.delay_p95 = p95(delays_);
  return r;
}

}  // namespace lab
