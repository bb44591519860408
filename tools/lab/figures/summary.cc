#include "tools/lab/figures/summary.h"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace lab {
namespace {

class WeightedMean {
 public:
  void add(double value, double weight) {
    if (std::isnan(value) || weight <= 0) return;
    sum_ += value * weight;
    weight_ += weight;
  }
  double value() const { return weight_ == 0 ? kNaN : sum_ / weight_; }

 private:
  double sum_ = 0, weight_ = 0;
};

void add_flows(RunFigures& f, const std::vector<FlowResult>& flows) {
  WeightedMean delay, p95, rtt, transfer, response;
  double bits = 0, took = 0;
  for (const FlowResult& flow : flows) {
    f.goodput += flow.goodput_1500 / 1e3;
    f.goodput_1460 += flow.goodput_1460 / 1e3;
    f.retransmissions += static_cast<double>(flow.retransmissions);
    f.timeouts += static_cast<double>(flow.timeouts);
    delay.add(flow.delay_mean, static_cast<double>(flow.packets - flow.retransmissions));
    p95.add(flow.delay_p95, 1);
    rtt.add(flow.rtt_mean, 1);
    for (const Transfer& t : flow.transfers) {
      transfer.add(t.finished - t.started, 1);
      response.add(t.response(), 1);
      if (std::isnan(t.response())) continue;
      bits += static_cast<double>(t.bytes) * 8;
      took += t.response();
      ++f.files;
    }
  }
  f.delay = delay.value();
  f.delay_p95 = p95.value();
  f.rtt = rtt.value();
  f.transfer = transfer.value();
  f.response = response.value();
  f.file_rate = took > 0 ? bits / took / 1e3 : kNaN;
}

void add_bearers(RunFigures& f, const std::vector<BearerResult>& bearers) {
  const double n = static_cast<double>(std::max<std::size_t>(bearers.size(), 1));
  double again = 0, on_air = 0, carried = 0, alone = 0, shared = 0, sharers = 0;
  WeightedMean sojourn, wait;
  for (const BearerResult& b : bearers) {
    f.bo += b.bo_mean / n;
    f.utilisation += b.utilisation / n;
    carried += b.carried;
    (b.in_cell ? shared : alone) += b.capacity;
    sharers += b.in_cell ? 1 : 0;
    const double left = static_cast<double>(b.delivered + b.dropped_aqm + b.dropped_rlc + b.dropped_radio);
    sojourn.add(b.sojourn, left);
    wait.add(b.wait, left);
    f.overflow += static_cast<double>(b.dropped_overflow);
    f.aqm += static_cast<double>(b.dropped_aqm);
    f.rlc += static_cast<double>(b.dropped_rlc);
    f.radio += static_cast<double>(b.dropped_radio);
    again += static_cast<double>(b.pdu_retransmissions);
    on_air += static_cast<double>(b.pdu_transmissions + b.pdu_retransmissions);
  }
  const double capacity = alone + shared / std::max(sharers, 1.0);
  f.capacity = capacity > 0 ? capacity / 1e3 : kNaN;
  f.carried = capacity > 0 ? carried / capacity : kNaN;
  f.sojourn = sojourn.value();
  f.wait = wait.value();
  f.rlc_retransmissions = on_air == 0 ? 0 : again / on_air;
}

// The mean over those runs that have a value.
Estimate over(std::span<const RunFigures> runs, double RunFigures::*member) {
  std::vector<double> values;
  for (const RunFigures& f : runs) {
    if (!std::isnan(f.*member)) values.push_back(f.*member);
  }
  return values.empty() ? Estimate{kNaN, kNaN} : estimate(values);
}

}  // namespace

RunFigures figures_of(const RunResult& run) {
  RunFigures f;
  add_flows(f, run.flows);
  add_bearers(f, run.bearers);
  f.sizes = responses_by_size(run.flows);
  for (const FlowResult& flow : run.flows) f.flow_goodputs.push_back(flow.goodput_1500 / 1e3);
  for (const BearerResult& bearer : run.bearers) f.bearer_slots.push_back(static_cast<double>(bearer.slots));
  f.jain = run.jain;
  f.wire = static_cast<double>(run.frames.lost);
  f.residue = static_cast<double>(std::abs(run.frames.residue)) + static_cast<double>(run.frames.damaged);
  f.flow_seconds = run.flow_seconds;
  f.wall = run.wall_s;
  return f;
}

ResponsesBySize sizes_of(std::span<const RunFigures> runs) {
  ResponsesBySize all;
  for (const RunFigures& run : runs) {
    for (std::size_t bin = 0; bin < all.size(); ++bin) all[bin] += run.sizes[bin];
  }
  return all;
}

RowSummary::RowSummary(std::span<const RunFigures> runs) : each_(runs.begin(), runs.end()) {
  for (std::size_t q = 0; q < kQuantities.size(); ++q) estimates_[q] = over(runs, kQuantities[q].member);
  for (std::size_t m = 0; m < kMeasured.size(); ++m) measured_[m] = over(runs, kMeasured[m]);
  for (const RunFigures& f : runs) {
    residue_ += f.residue;
    flow_seconds_ += f.flow_seconds;
    wall_ += f.wall;
  }
}

Estimate RowSummary::of(double RunFigures::*member) const {
  for (std::size_t m = 0; m < kMeasured.size(); ++m) {
    if (kMeasured[m] == member) return measured_[m];
  }
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    if (kQuantities[q].member == member) return estimates_[q];
  }
  std::abort();  // not a quantity: a fault of this program
}

std::vector<Estimate> slot_shares(const RowSummary& row) {
  std::vector<std::vector<double>> shares;  // by bearer, then by run
  for (const RunFigures& run : row.each()) {
    const double sum = std::accumulate(run.bearer_slots.begin(), run.bearer_slots.end(), 0.);
    if (sum == 0) continue;
    shares.resize(run.bearer_slots.size());
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i].push_back(run.bearer_slots[i] / sum);
  }
  std::vector<Estimate> out;
  for (const auto& of_runs : shares) out.push_back(estimate(of_runs));
  return out;
}

RowSummary summarise(std::span<const RunResult> runs) {
  std::vector<RunFigures> figures;
  for (const RunResult& run : runs) figures.push_back(figures_of(run));
  return RowSummary(figures);
}

}  // namespace lab
