#include "tools/lab/papers/figures_report.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"
#include "tools/lab/papers/statements.h"

namespace lab {
namespace {

const FigurePoints& figure_of(const Paper& paper, const Chart& chart) {
  return *std::ranges::find(paper.figures, chart.figure, &FigurePoints::name);
}

std::string cell_of(const Chart& chart, const RowSummary& s) {
  std::string text = text_of(s.goodput(), 0);
  if (chart.beside == Chart::Over::round_trip) text += ", " + text_of(s.of(&RunFigures::rtt).mean, 2) + " s";
  if (chart.beside == Chart::Over::loss)
    text += ", " + text_of(s.of(&RunFigures::loss).mean * 1e4, 1) + "e-4";
  return text;
}

std::string chart_text(const Paper& paper, const FigureResults& results, const Chart& chart) {
  const std::size_t figure = figure_named(paper, chart.figure);
  tools::Table::Row headings{">" + (chart.along.empty() ? chart.axis : chart.along)};
  std::set<double> values;
  for (const std::string& line : figure_of(paper, chart).lines) {
    headings.push_back(">" + line);
    for (const auto& [x, s] : line_of(results, figure, chart.users, line)) values.insert(x);
  }
  tools::Table table(std::move(headings));
  for (const double x : values) {
    tools::Table::Row row{figure_of(paper, chart).lossy ? text_of(x * 1e5, 0) + "e-5" : text_of(x, 0)};
    for (const std::string& line : figure_of(paper, chart).lines) {
      const auto at = results.find({figure, chart.users, line, x});
      row.push_back(at == results.end() ? "-" : cell_of(chart, at->second));
    }
    table.add(std::move(row));
  }
  if (table.empty()) return "";
  constexpr const char* kBeside[] = {"", " and mean round trip", " and loss"};
  return chart.title + ": kbit/s" + kBeside[static_cast<std::size_t>(chart.beside)] + "\n" + table.text() +
         "\n";
}

std::string figures_text(const Paper& paper, const FigureResults& results) {
  std::string text;
  for (const Chart& chart : paper.charts) {
    if (chart.over != Chart::Over::round_trip) text += chart_text(paper, results, chart);
  }
  return text + claims_text("CLAIM", "PAPER", statement_claims(paper, results)) + fitted_text(paper);
}

void add_json(const Paper& paper, const FigureResults& results, Json& document) {
  for (const auto& [point, s] : results) {
    document["rows"].push_back({{"figure", paper.figures[point.figure].name},
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
  document["claims"] = claims_json(statement_claims(paper, results));
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

void draw(const std::filesystem::path& folder, const Paper& paper, const FigureResults& results) {
  for (const Chart& chart : paper.charts) {
    std::vector<Series> all;
    for (const std::string& line : figure_of(paper, chart).lines) {
      Series series{line, {}};
      for (const auto& [x, s] : line_of(results, figure_named(paper, chart.figure), chart.users, line)) {
        const double at = abscissa(chart, x, s);
        if (!chart.logarithmic || at > 0) series.points.emplace_back(at, s.goodput());
      }
      if (!series.points.empty()) all.push_back(std::move(series));
    }
    if (all.empty()) continue;
    const std::string name = "paper-" + paper.name + "-" + chart.name;
    draw_series({folder, name}, "Paper " + paper.name + ", " + chart.title, chart.axis, all,
                chart.logarithmic);
  }
}

std::string id_of(const Paper& paper, const FigurePoint& p) {
  return fmt::format("{}/{}/{}/{:f}", paper.figures[p.figure].name, p.users, p.line, p.x);
}

FigureResults results_of(const Paper& paper, const std::vector<FigurePoint>& points, const Results& results) {
  FigureResults out;
  for (const FigurePoint& point : points) {
    const auto at = results.find(id_of(paper, point));
    if (at != results.end()) out.emplace(point, at->second);
  }
  return out;
}

}  // namespace

Experiment figures_experiment(const Paper& paper, bool brief, std::optional<double> seconds) {
  constexpr double kShortSeconds = 300;
  if (!seconds && brief) seconds = kShortSeconds;
  const std::vector<FigurePoint> points = figure_points(paper, brief);
  Experiment e{paper.name, "Paper " + paper.name + ", " + paper.title, paper.scenario, paper.scenario_text,
               "a point"};
  if (brief) e.runs = 1;
  for (const FigurePoint& p : points) {
    Point& point =
        e.points.emplace_back(Point{id_of(paper, p), "point " + id_of(paper, p), overrides_of(paper, p)});
    if (seconds) point.settings.push_back({"--seconds", "duration", std::to_string(*seconds) + "s"});
    point.adjust = [&paper, p](Scenario& scenario) { keep_flows(scenario, paper, p); };
    point.measure = [&paper, p](const Scenario& scenario, std::uint64_t seed) {
      return run_point(scenario, paper, p, seed);
    };
  }
  e.text = [&paper, points](const Outcome& o) {
    return figures_text(paper, results_of(paper, points, o.results));
  };
  e.add_json = [&paper, points](const Outcome& o, Json& json) {
    add_json(paper, results_of(paper, points, o.results), json);
  };
  e.draw = [&paper, points](const auto& folder, const Outcome& o) {
    draw(folder, paper, results_of(paper, points, o.results));
  };
  return e;
}

}  // namespace lab
