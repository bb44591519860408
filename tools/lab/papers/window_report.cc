#include "tools/lab/papers/window_report.h"

#include <algorithm>
#include <cmath>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"

namespace lab {
namespace {

// One of the paper's figures, or the same for more users.
struct Chart {
  std::string_view file, title, axis;  // what x is
  WindowFigure figure;
  unsigned users;
  std::span<const std::string_view> lines;
  enum class Over : std::uint8_t { setting, round_trip, loss } over = Over::setting;
  bool logarithmic = false;
};

using enum WindowFigure;
constexpr std::array kCharts{
    Chart{"fig7a", "Fig. 7a: TCP variants, one user, drop-tail", "buffer (packets)", variants, 1, kVariants},
    Chart{"fig7b", "Fig. 7b: one user", "buffer (packets)", buffer, 1, kSchemes},
    Chart{"fig8a", "Fig. 8a: four users together", "buffer (packets)", buffer, 4, kSchemes},
    Chart{"fig8b", "Fig. 8b: eight users together", "buffer (packets)", buffer, 8, kSchemes},
    Chart{"fig9a", "Fig. 9a: four users", "round trip (s)", buffer, 4, kSchemes, Chart::Over::round_trip},
    Chart{"fig9b", "Fig. 9b: one user, 20 packets", "wired round trip (ms)", latency, 1, kSchemes},
    Chart{"fig10a", "Fig. 10a: random loss, one user, 20 packets", "packets lost", random, 1, kSchemes,
          Chart::Over::setting, true},
    Chart{"fig10b", "Fig. 10b: congestion loss, one user, 20 packets", "the user's packets lost", congestion,
          1, kSchemes, Chart::Over::loss, true},
};
static_assert(kCharts.size() == 8);

// What a table shows beside the goodput, where it says more.
bool shows_round_trips(const Chart& chart) { return chart.figure == buffer; }
bool shows_losses(const Chart& chart) { return chart.figure == congestion; }

std::string cell_of(const Chart& chart, const RowSummary& s) {
  std::string text = text_of(s.goodput(), 0);
  if (shows_round_trips(chart)) text += ", " + text_of(s.of(&RunFigures::rtt).mean, 2) + " s";
  if (shows_losses(chart)) text += ", " + text_of(s.of(&RunFigures::loss).mean * 1e4, 1) + "e-4";
  return text;
}

std::string setting_text(const Chart& chart, double x) {
  return chart.figure == random ? text_of(x * 1e5, 0) + "e-5" : text_of(x, 0);
}

std::string chart_text(const WindowResults& results, const Chart& chart) {
  const std::string axis(chart.figure == congestion ? "cross source (kbit/s)" : chart.axis);
  tools::Table::Row headings{">" + axis};
  std::vector<double> values;
  for (const auto line : chart.lines) {
    headings.push_back(">" + std::string(line));
    for (const auto& [x, s] : line_of(results, chart.figure, chart.users, line)) values.push_back(x);
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  tools::Table table(std::move(headings));
  for (const double x : values) {
    tools::Table::Row row{setting_text(chart, x)};
    for (const auto line : chart.lines) {
      const auto at = results.find({chart.figure, chart.users, line, x});
      row.push_back(at == results.end() ? "-" : cell_of(chart, at->second));
    }
    table.add(std::move(row));
  }
  if (table.empty()) return "";
  return std::string(chart.title) + ": kbit/s" + (shows_round_trips(chart) ? " and mean round trip" : "") +
         (shows_losses(chart) ? " and loss" : "") + "\n" + table.text() + "\n";
}

std::string name_of(WindowFigure figure) {
  constexpr std::array<std::string_view, 6> kNames{"capacity", "variants", "buffer",
                                                   "latency",  "random",   "congestion"};
  return std::string(kNames[static_cast<std::size_t>(figure)]);
}

std::string text(const Paper& paper, const WindowResults& results) {
  std::string text;
  for (const Chart& chart : kCharts) {
    if (chart.over != Chart::Over::round_trip) text += chart_text(results, chart);
  }
  return text + claims_text("CLAIM", "PAPER", window_claims(results)) +
         "\nFitted to the papers' figures, not given by them: " + paper.fitted + "\n";
}

void add_json(const Paper& paper, const WindowResults& results, Json& document) {
  for (const auto& [point, s] : results) {
    document["rows"].push_back({{"figure", name_of(point.figure)},
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
    case Chart::Over::setting:
      break;
  }
  return x;
}

void draw(const std::filesystem::path& folder, const Paper& paper, const WindowResults& results) {
  for (const Chart& chart : kCharts) {
    std::vector<Series> all;
    for (const auto line : chart.lines) {
      Series series{std::string(line), {}};
      for (const auto& [x, s] : line_of(results, chart.figure, chart.users, line)) {
        const double at = abscissa(chart, x, s);
        if (!chart.logarithmic || at > 0) series.points.emplace_back(at, s.goodput());
      }
      if (!series.points.empty()) all.push_back(std::move(series));
    }
    if (all.empty()) continue;
    const std::string name = "paper-" + paper.name + "-" + std::string(chart.file);
    draw_series({folder, name}, "Paper 001, " + std::string(chart.title), std::string(chart.axis), all,
                chart.logarithmic);
  }
}

std::string id_of(const WindowPoint& p) {
  return name_of(p.figure) + "/" + std::to_string(p.users) + "/" + std::string(p.line) + "/" +
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
  const std::vector<WindowPoint> points = window_points(brief);
  Experiment e;
  e.name = paper.name;
  e.title = "Paper " + e.name + ", " + paper.title;
  e.scenario = paper.scenario;
  e.scenario_text = paper.scenario_text;
  e.each = "a point";
  if (brief) e.runs = 1;
  for (const WindowPoint& p : points) {
    Point& point = e.points.emplace_back(Point{id_of(p), "point " + id_of(p), overrides_of(p)});
    if (seconds) point.settings.push_back({"--seconds", "duration", std::to_string(*seconds) + "s"});
    point.adjust = [p](Scenario& scenario) { keep_flows(scenario, p); };
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
