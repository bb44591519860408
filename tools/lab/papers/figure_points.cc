#include "tools/lab/papers/figure_points.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "tools/lab/batch/sweep_grid.h"
#include "tools/lab/run/observer.h"
#include "tools/lab/run/simulate.h"

namespace lab {
namespace {

// Whole numbers without a fraction, others in a form that the configuration reads back.
std::string plain_number(double value) {
  return fmt::format("{:.{}f}", value, value == std::floor(value) ? 0 : 6);
}

// The value of "x" or "b", optionally followed by + or * and a number; none for other text.
std::optional<double> number_in(const std::string& words, double x, double b) {
  if (words.empty() || (words[0] != 'x' && words[0] != 'b')) return std::nullopt;
  const double first = words[0] == 'x' ? x : b;
  if (words.size() == 1) return first;
  const auto second = number_of(words.substr(2));
  if (!second || (words[1] != '*' && words[1] != '+')) return std::nullopt;
  return words[1] == '*' ? first * *second : first + *second;
}

// `value` with each <expression> replaced by its number; other text is kept, so that the scenario rejects it.
std::string filled(const std::string& value, double x, double b) {
  std::string out;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t open = std::min(value.find('<', at), value.size());
    const std::size_t close = value.find('>', open);
    out += value.substr(at, open - at);
    if (close == std::string::npos) return out + value.substr(open);
    const auto number = number_in(value.substr(open + 1, close - open - 1), x, b);
    out += number ? plain_number(*number) : value.substr(open, close + 1 - open);
    at = close + 1;
  }
  return out;
}

// Counts the packets of the first flows that wires lost.
class Losses final : public Observer {
 public:
  Losses(const Scenario& scenario, unsigned users) : scenario_(scenario), users_(users) {}
  void dropped(const DataPoint& p, std::string_view where) override {
    const bool wire = std::ranges::find(scenario_.wires, where, &Wire::name) != scenario_.wires.end();
    if (wire && p.flow < users_ && p.at >= dp::Time{scenario_.measure_from}) ++lost_;
  }
  double lost() const { return lost_; }

 private:
  const Scenario& scenario_;
  unsigned users_;
  double lost_ = 0;
};

// The bearers of the measured flows: each once, in the order of the flows.
std::vector<std::size_t> bearers_of(const Scenario& scenario, std::size_t users) {
  std::vector<std::size_t> bearers;
  for (std::size_t i = 0; i < users && i < scenario.flows.size(); ++i) {
    const std::size_t bearer = scenario.flows[i].bearer;
    if (std::ranges::find(bearers, bearer) == bearers.end()) bearers.push_back(bearer);
  }
  return bearers;
}

// The total of these bearers' downlinks in bit/s and SDUs.
struct Capacity {
  double rate = 0, slots = 0;
};
Capacity capacity_of(const Scenario& scenario, const std::vector<std::size_t>& bearers) {
  Capacity all;
  for (const std::size_t bearer : bearers) {
    const dp::LegSettings& leg = scenario.classes[scenario.bearers[bearer].cls].downlink;
    all.rate += static_cast<double>(rate_of(leg));
    all.slots += leg.buffer.sdus;
  }
  return all;
}

}  // namespace

std::size_t figure_named(const Paper& paper, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(paper.figures, name, &FigurePoints::name) -
                                  paper.figures.begin());
}

std::vector<FigurePoint> figure_points(const Paper& paper, bool few) {
  std::vector<FigurePoint> all;
  for (std::size_t i = 0; i < paper.figures.size(); ++i) {
    const FigurePoints& figure = paper.figures[i];
    for (const std::uint32_t users : figure.users) {
      for (const double x : few && !figure.few.empty() ? figure.few : figure.x) {
        for (const std::string& line : figure.lines) all.push_back({i, users, line, x});
      }
    }
  }
  return all;
}

config::Overrides overrides_of(const Paper& paper, const FigurePoint& p) {
  const FigurePoints& figure = paper.figures[p.figure];
  const double b = figure.sized ? p.x : kDefaultBuffer;
  config::Overrides all;
  for (const Settings* set :
       {&paper.set, &std::ranges::find(paper.lines, p.line, &FigureLine::name)->set, &figure.set}) {
    for (const auto& [key, value] : *set) all.push_back({"point", key, filled(value, p.x, b)});
  }
  return all;
}

dp::Status keep_flows(Scenario& scenario, const Paper& paper, const FigurePoint& p) {
  const bool crossed = paper.figures[p.figure].cross;
  std::vector<Flow> flows;
  std::uint64_t measured = 0;
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const bool cross = scenario.flows[i].name.starts_with("cross");
    if (cross ? !crossed : i >= p.users) continue;
    flows.push_back(scenario.flows[i]);
    if (!cross) measured += scenario.flows[i].count;
  }
  scenario.flows = std::move(flows);
  if (measured >= p.users) return dp::ok();
  return dp::Error{fmt::format("found {} flows that come before those of the name cross, expected {} as the "
                               "figure's `users` says; add flows to the scenario",
                               measured, p.users),
                   3};
}

RunFigures run_point(const Scenario& scenario, const Paper& paper, const FigurePoint& p, std::uint64_t seed) {
  const FigurePoints& figure = paper.figures[p.figure];
  Losses losses(scenario, p.users);
  RunResult run = simulate(scenario, seed, figure.cross ? &losses : nullptr);
  run.flows.resize(p.users);
  const std::vector<std::size_t> bearers = bearers_of(scenario, p.users);
  std::vector<BearerResult> used;
  for (const std::size_t bearer : bearers) used.push_back(run.bearers[bearer]);
  run.bearers = std::move(used);
  double packets = 0;
  std::vector<double> shares;
  for (const FlowResult& flow : run.flows) {
    packets += static_cast<double>(flow.packets);
    shares.push_back(flow.goodput_1460);
  }
  run.jain = jain(shares);
  RunFigures figures = figures_of(run);
  const Capacity capacity = capacity_of(scenario, bearers);
  figures.throughput = capacity.rate > 0 ? figures.goodput * 1e3 / capacity.rate : kNaN;
  const double occupied = figures.bo * static_cast<double>(bearers.size());
  figures.buffer_use = capacity.slots > 0 ? occupied / capacity.slots : kNaN;
  figures.loss = figure.lossy ? p.x : packets == 0 ? 0 : losses.lost() / packets;
  return figures;
}

std::vector<std::pair<double, RowSummary>> line_of(const FigureResults& results, std::size_t figure,
                                                   unsigned users, std::string_view line) {
  std::vector<std::pair<double, RowSummary>> out;
  for (const auto& [point, summary] : results) {
    if (point.figure == figure && point.users == users && point.line == line) {
      out.emplace_back(point.x, summary);
    }
  }
  std::ranges::sort(out, {}, [](const auto& at) { return at.first; });
  return out;
}

}  // namespace lab
