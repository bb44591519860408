#include "tools/lab/papers/figures_report.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"
#include "tools/lab/papers/curves.h"
#include "tools/lab/papers/gains.h"
#include "tools/lab/papers/statements.h"

namespace lab {
namespace {

const FigurePoints& figure_of(const Paper& paper, const Chart& chart) {
  return *std::ranges::find(paper.figures, chart.figure, &FigurePoints::name);
}

// A line as a chart draws it.
struct Drawn {
  std::size_t figure;
  std::string line, name;
};
std::vector<Drawn> lines_of(const Paper& paper, const Chart& chart) {
  std::vector<Drawn> all;
  for (const auto& [figure, line] : chart.lines) {
    all.push_back({figure_named(paper, figure), line, figure + " " + line});
  }
  if (!all.empty()) return all;
  const std::size_t figure = figure_named(paper, chart.figure);
  for (const std::string& line : paper.figures[figure].lines) all.push_back({figure, line, line});
  return all;
}

struct Shown {
  const char* words;
  int digits;
  Ordinate of;
};
const Shown& shown(FigureValue value) {
  static const Shown kAll[] = {
      {"kbit/s", 0, {}},
      {"goodput per rate", 3, {"throughput (share of the link)", "throughput", "throughput_ci90"}},
      {"Jain's index of fairness", 3, {"fairness", "jain", "jain_ci90"}},
      {"mean buffer occupancy per places", 3, {"buffer use", "buffer_use", "buffer_use_ci90"}},
      {"kbit/s of files, from the first data on",
       1,
       {"rate of files (kbit/s)", "file_rate", "file_rate_ci90"}}};
  return kAll[static_cast<std::size_t>(value)];
}

// `ours` as a share of `base`, and a word for its direction; differences up to 2 % are chance.
std::string share_text(double ours, double base) {
  constexpr double kChance = 0.02;
  const double share = ours / base;
  const char* word = share > 1 + kChance ? " helps" : share < 1 - kChance ? " harms" : " same";
  return text_of(share, 2) + word;
}

std::string cell_of(const Chart& chart, const RowSummary& s) {
  const Estimate value = value_of(s, chart.value);
  const int digits = shown(chart.value).digits;
  std::string text = s.runs() > 1 ? text_of(value, digits) : text_of(value.mean, digits);
  if (chart.beside == Chart::Over::round_trip) text += ", " + text_of(s.of(&RunFigures::rtt).mean, 2) + " s";
  if (chart.beside == Chart::Over::loss)
    text += ", " + text_of(s.of(&RunFigures::loss).mean * 1e4, 1) + "e-4";
  return text;
}

std::string chart_text(const Paper& paper, const FigureResults& results, const Chart& chart) {
  const std::vector<Drawn> lines = lines_of(paper, chart);
  tools::Table::Row headings{">" + (chart.along.empty() ? chart.axis : chart.along)};
  std::set<double> values;
  for (const Drawn& one : lines) {
    headings.push_back(">" + one.name);
    for (const auto& [x, s] : line_of(results, one.figure, chart.users, one.line)) values.insert(x);
  }
  tools::Table table(std::move(headings));
  for (const double x : values) {
    tools::Table::Row row{figure_of(paper, chart).lossy ? fmt::format("{:g}", x) : text_of(x, 0)};
    for (const Drawn& one : lines) {
      const auto at = results.find({one.figure, chart.users, one.line, x});
      const auto base = results.find({one.figure, chart.users, chart.per, x});
      const bool shares = base != results.end() && at != base && at != results.end();
      row.push_back(at == results.end() ? "-"
                    : shares            ? share_text(value_of(at->second, chart.value).mean,
                                                     value_of(base->second, chart.value).mean)
                                        : cell_of(chart, at->second));
    }
    table.add(std::move(row));
  }
  if (table.empty()) return "";
  constexpr const char* kBeside[] = {"", " and mean round trip", " and loss"};
  return chart.title + ": " + shown(chart.value).words + kBeside[static_cast<std::size_t>(chart.beside)] +
         (chart.per.empty() ? "" : "; the others per that of " + chart.per) + "\n" + table.text() + "\n";
}

std::vector<Claim> claims_of(const Paper& paper, const FigureResults& results, bool brief) {
  std::vector<Claim> all = statement_claims(paper, results, brief);
  std::ranges::move(gain_claims(paper, results), std::back_inserter(all));
  return all;
}

// The number of failed claims of a paper whose claims are binding.
std::size_t broken_claims(const Paper& paper, const FigureResults& results, bool brief) {
  if (!paper.binding) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      claims_of(paper, results, brief), [](const Claim& c) { return c.need == Need::required && !c.holds; }));
}

std::string figures_text(const Paper& paper, const FigureResults& results, bool brief) {
  std::string text;
  for (const Chart& chart : paper.charts) {
    if (chart.over != Chart::Over::round_trip) text += chart_text(paper, results, chart);
  }
  return text + gains_text(paper, results) + claims_text("CLAIM", "PAPER", claims_of(paper, results, brief)) +
         fitted_text(paper);
}

void add_json(const Paper& paper, const FigureResults& results, bool brief, Json& document) {
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
                                {"jain", json_of(s.of(&RunFigures::jain))},
                                {"throughput", json_of(s.of(&RunFigures::throughput))},
                                {"buffer_use", json_of(s.of(&RunFigures::buffer_use))},
                                {"file_rate_kbit_s", json_of(s.of(&RunFigures::file_rate))},
                                {"files", json_of(s.of(&RunFigures::files))}});
  }
  if (!paper.gains.empty()) document["gains"] = gains_json(paper, results);
  document["fitted"] = paper.fitted;
  document["claims"] = claims_json(claims_of(paper, results, brief));
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
    for (const Drawn& one : lines_of(paper, chart)) {
      Series series{one.name, {}};
      for (const auto& [x, s] : line_of(results, one.figure, chart.users, one.line)) {
        const double at = abscissa(chart, x, s);
        if (!chart.logarithmic || at > 0) series.points.emplace_back(at, value_of(s, chart.value));
      }
      if (!series.points.empty()) all.push_back(std::move(series));
    }
    if (all.empty()) continue;
    const std::string name = "paper-" + paper.name + "-" + chart.name;
    draw_series({folder, name}, "Paper " + paper.name + ", " + chart.title, chart.axis, all,
                chart.logarithmic, shown(chart.value).of);
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
  const std::vector<FigurePoint> points = figure_points(paper, brief);
  Experiment e{paper.name, "Paper " + paper.name + ", " + paper.title, paper.scenario, paper.scenario_text,
               "a point"};
  if (brief) e.runs = 1;
  for (const FigurePoint& p : points) {
    Point& point =
        e.points.emplace_back(Point{id_of(paper, p), "point " + id_of(paper, p), overrides_of(paper, p)});
    if (seconds || brief) {
      const double taken = seconds.value_or(lab::seconds(paper.figures[p.figure].short_form));
      point.settings.push_back({seconds ? "--seconds" : "--short", "duration", std::to_string(taken) + "s"});
    }
    point.adjust = [&paper, p](Scenario& scenario) { return keep_flows(scenario, paper, p); };
    point.measure = [&paper, p](const Scenario& scenario, std::uint64_t seed) {
      return run_point(scenario, paper, p, seed);
    };
  }
  e.text = [&paper, points, brief](const Outcome& o) {
    return figures_text(paper, results_of(paper, points, o.results), brief);
  };
  e.add_json = [&paper, points, brief](const Outcome& o, Json& json) {
    add_json(paper, results_of(paper, points, o.results), brief, json);
  };
  e.draw = [&paper, points](const auto& folder, const Outcome& o) {
    draw(folder, paper, results_of(paper, points, o.results));
    draw_gains(folder, paper, results_of(paper, points, o.results));
  };
  e.broken = [&paper, points, brief](const Outcome& o) {
    return broken_claims(paper, results_of(paper, points, o.results), brief);
  };
  return e;
}

}  // namespace lab
