#include "tools/lab/papers/window_report.h"

#include <algorithm>
#include <cmath>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"

namespace lab {
namespace {

WindowFigure figure_of(const Chart& chart) {
  return static_cast<WindowFigure>(std::ranges::find(kWindowFigures, chart.figure) - kWindowFigures.begin());
}

const std::vector<std::string>& lines_of(const Paper& paper, const Chart& chart) {
  return std::ranges::find(paper.figures, chart.figure, &FigurePoints::name)->lines;
}

// What a table shows beside the goodput, where it says more.
bool shows_round_trips(const Chart& chart) { return figure_of(chart) == WindowFigure::buffer; }
bool shows_losses(const Chart& chart) { return figure_of(chart) == WindowFigure::congestion; }

std::string cell_of(const Chart& chart, const RowSummary& s) {
  std::string text = text_of(s.goodput(), 0);
  if (shows_round_trips(chart)) text += ", " + text_of(s.of(&RunFigures::rtt).mean, 2) + " s";
  if (shows_losses(chart)) text += ", " + text_of(s.of(&RunFigures::loss).mean * 1e4, 1) + "e-4";
  return text;
}

std::string setting_text(const Chart& chart, double x) {
  return figure_of(chart) == WindowFigure::random ? text_of(x * 1e5, 0) + "e-5" : text_of(x, 0);
}

std::string chart_text(const Paper& paper, const WindowResults& results, const Chart& chart) {
  const std::string axis(shows_losses(chart) ? "cross source (kbit/s)" : chart.axis);
  tools::Table::Row headings{">" + axis};
  std::vector<double> values;
  for (const std::string& line : lines_of(paper, chart)) {
    headings.push_back(">" + line);
    for (const auto& [x, s] : line_of(results, figure_of(chart), chart.users, line)) values.push_back(x);
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  tools::Table table(std::move(headings));
  for (const double x : values) {
    tools::Table::Row row{setting_text(chart, x)};
    for (const std::string& line : lines_of(paper, chart)) {
      const auto at = results.find({figure_of(chart), chart.users, line, x});
      row.push_back(at == results.end() ? "-" : cell_of(chart, at->second));
    }
    table.add(std::move(row));
  }
  if (table.empty()) return "";
  return chart.title + ": kbit/s" + (shows_round_trips(chart) ? " and mean round trip" : "") +
         (shows_losses(chart) ? " and loss" : "") + "\n" + table.text() + "\n";
}

std::string text(const Paper& paper, const WindowResults& results) {
  std::string text;
  for (const Chart& chart : paper.charts) {
    if (chart.over != Chart::Over::round_trip) text += chart_text(paper, results, chart);
  }
  return text + claims_text("CLAIM", "PAPER", window_claims(results)) + fitted_text(paper);
}

void add_json(const Paper& paper, const WindowResults& results, Json& document) {
  for (const auto& [point, s] : results) {
    document["rows"].push_back({{"figure", std::string(name_of(point.figure))},
                                {"users", point.users},
                                {"line", std::string(point.line)},
                                {"x", point.x},
                                {"goodput_kbit_s", json_of(s.goodput())},
                                {"rtt_s", json_of(s.of(&RunFigures::rtt))},
                                {"loss", json_of(s.of(&RunFigures::loss))},
                                {"overflow", json_of(s.of(&RunFigures::overflow))},
                                {"timeouts", json_of(s.of(&RunFigures::timeouts))},
                                {"jain", json_of(s.of(&RunFigures::jain))}});
  }
  document["fitted"] = paper.fitted;
  document["claims"] = claims_json(window_claims(results));
}

double abscissa(const Chart& chart, double x, const RowSummary& s) {
  switch (chart.over) {
    case Chart::Over::round_trip:
      return s.of(&RunFigures::rtt).mean;
    case Chart::Over::loss:
      return s.of(&RunFigures::loss).mean;
    case Chart::Over::x:
      break;
  }
  return x;
}

void draw(const std::filesystem::path& folder, const Paper& paper, const WindowResults& results) {
  for (const Chart& chart : paper.charts) {
    std::vector<Series> all;
    for (const std::string& line : lines_of(paper, chart)) {
      Series series{line, {}};
      for (const auto& [x, s] : line_of(results, figure_of(chart), chart.users, line)) {
        const double at = abscissa(chart, x, s);
        if (!chart.logarithmic || at > 0) series.points.emplace_back(at, s.goodput());
      }
      if (!series.points.empty()) all.push_back(std::move(series));
    }
    if (all.empty()) continue;
    const std::string name = "paper-" + paper.name + "-" + chart.name;
    draw_series({folder, name}, "Paper 001, " + chart.title, chart.axis, all, chart.logarithmic);
  }
}

std::string id_of(const WindowPoint& p) {
  return std::string(name_of(p.figure)) + "/" + std::to_string(p.users) + "/" + std::string(p.line) + "/" +
         std::to_string(p.x);
}

WindowResults results_of(const std::vector<WindowPoint>& points, const Results& results) {
  WindowResults out;
  for (const WindowPoint& point : points) {
    const auto at = results.find(id_of(point));
    if (at != results.end()) out.emplace(point, at->second);
  }
  return out;
}

}  // namespace

Experiment window_experiment(const Paper& paper, bool brief, std::optional<double> seconds) {
  constexpr double kShortSeconds = 300;
  if (!seconds && brief) seconds = kShortSeconds;
  const std::vector<WindowPoint> points = window_points(paper, brief);
  Experiment e;
  e.name = paper.name;
  e.title = "Paper " + e.name + ", " + paper.title;
  e.scenario = paper.scenario;
  e.scenario_text = paper.scenario_text;
  e.each = "a point";
  if (brief) e.runs = 1;
  for (const WindowPoint& p : points) {
    Point& point = e.points.emplace_back(Point{id_of(p), "point " + id_of(p), overrides_of(paper, p)});
    if (seconds) point.settings.push_back({"--seconds", "duration", std::to_string(*seconds) + "s"});
    point.adjust = [&paper, p](Scenario& scenario) { keep_flows(scenario, paper, p); };
    point.measure = [p](const Scenario& scenario, std::uint64_t seed) {
      return run_point(scenario, p, seed);
    };
  }
  e.text = [&paper, points](const Outcome& o) { return text(paper, results_of(points, o.results)); };
  e.add_json = [&paper, points](const Outcome& o, Json& json) {
    add_json(paper, results_of(points, o.results), json);
  };
  e.draw = [&paper, points](const auto& folder, const Outcome& o) {
    draw(folder, paper, results_of(points, o.results));
  };
  return e;
}

}  // namespace lab
