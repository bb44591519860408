#include "tools/lab/papers/scenes_report.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"
#include "tools/lab/papers/scenes.h"
#include "tools/lab/papers/statements.h"

namespace lab {
namespace {

using tools::Table;

constexpr double kSmallFiles = 20;  // kB: largest size in the figures' second parts

// One scene's rows by line, in the paper's order of lines.
struct SceneRows {
  const Scene& scene;
  std::vector<std::pair<std::string_view, const RowSummary*>> lines;
};

SceneRows rows_of(const Paper& paper, const SceneResults& results, std::size_t scene) {
  SceneRows rows{paper.scenes[scene], {}};
  for (const FigureLine& line : paper.lines) {
    const auto at = results.find({scene, line.name});
    if (at != results.end()) rows.lines.emplace_back(line.name, &at->second);
  }
  return rows;
}

Table table_of(const SceneRows& rows, const std::string& first) {
  Table::Row headings{first};
  for (const auto& [line, row] : rows.lines) headings.push_back(">" + std::string(line));
  return Table(std::move(headings));
}

// A row with the figure of each line at x.
void add_row(Table& table, const SceneRows& rows, const std::string& name, SceneFigure figure, double x,
             int digits) {
  Table::Row row{name};
  for (const auto& [line, summary] : rows.lines) {
    row.push_back(text_of(value_at(read_scene(rows.scene, figure, summary->each()), x), digits));
  }
  table.add(std::move(row));
}

// All x at which a line has a value.
std::set<double> abscissas(const SceneRows& rows, SceneFigure figure) {
  std::set<double> all;
  for (const auto& [line, summary] : rows.lines) {
    for (const auto& [x, y] : read_scene(rows.scene, figure, summary->each())) all.insert(x);
  }
  return all;
}

std::string responses_text(const SceneRows& rows) {
  Table table = table_of(rows, ">SIZE, kB");
  for (const double x : abscissas(rows, SceneFigure::response)) {
    add_row(table, rows, "up to " + text_of(x, x < 5 ? 1 : 0), SceneFigure::response, x, 2);
  }
  add_row(table, rows, "all up to 15", SceneFigure::short_sizes, 0, 2);
  add_row(table, rows, "all", SceneFigure::all_sizes, 0, 2);
  add_row(table, rows, "all, for each kB", SceneFigure::normalised, 0, 3);
  add_row(table, rows, "all, from the request", SceneFigure::all_from_request, 0, 2);
  return table.text();
}

std::string kind_of(const Scene& scene, std::uint32_t user) {
  const bool web = std::ranges::find(scene.web, user) != scene.web.end();
  const bool ftp = std::ranges::find(scene.ftp, user) != scene.ftp.end();
  return web && ftp ? "web and FTP" : web ? "web" : "FTP";
}

std::string shares_text(const SceneRows& rows) {
  Table table = table_of(rows, "USER");
  for (const double x : abscissas(rows, SceneFigure::slots)) {
    const auto user = static_cast<std::uint32_t>(x);
    add_row(table, rows, fmt::format("{}, {}", user, kind_of(rows.scene, user)), SceneFigure::slots, x, 4);
  }
  add_row(table, rows, "those with pages alone", SceneFigure::web_slots, 0, 4);
  add_row(table, rows, "Jain's index", SceneFigure::jain, 0, 4);
  add_row(table, rows, "downloads together, kbit/s", SceneFigure::ftp_goodput, 0, 0);
  return table.text();
}

std::vector<Claim> claims_of(const Paper& paper, const SceneResults& results, bool brief) {
  const auto curve = [&](const FigureLineName& name, Chart::Over) {
    return scene_curve(paper, results, name);
  };
  return statement_claims(paper, curve, brief);
}

std::string text(const Paper& paper, const SceneResults& results, bool brief) {
  std::string text;
  for (std::size_t i = 0; i < paper.scenes.size(); ++i) {
    const SceneRows rows = rows_of(paper, results, i);
    if (rows.lines.empty()) continue;
    text += rows.scene.title + ": mean response in s\n" + responses_text(rows) + "\nShares of the slots\n" +
            shares_text(rows) + "\n";
  }
  return text + claims_text("CLAIM", "PAPER", claims_of(paper, results, brief)) + fitted_text(paper);
}

Json curve_json(const Scene& scene, SceneFigure figure, const RowSummary& row) {
  Json list = Json::array();
  for (const auto& [x, y] : estimate_scene(scene, figure, row)) list.push_back(json_of(y));
  return list;
}

Json single_json(const Scene& scene, SceneFigure figure, const RowSummary& row) {
  const auto values = estimate_scene(scene, figure, row);
  return json_of(values.empty() ? kNothing : values.front().second);
}

void add_json(const Paper& paper, const SceneResults& results, bool brief, Json& document) {
  for (const auto& [point, row] : results) {
    const Scene& scene = paper.scenes[point.scene];
    document["rows"].push_back({{"scene", scene.name},
                                {"line", std::string(point.line)},
                                {"runs", row.runs()},
                                {"sizes", sizes_json(sizes_of(row.each()))},
                                {"response_s", single_json(scene, SceneFigure::all_sizes, row)},
                                {"short_response_s", single_json(scene, SceneFigure::short_sizes, row)},
                                {"response_s_per_kB", single_json(scene, SceneFigure::normalised, row)},
                                {"slot_shares", curve_json(scene, SceneFigure::slots, row)},
                                {"web_slot_share", single_json(scene, SceneFigure::web_slots, row)},
                                {"jain", single_json(scene, SceneFigure::jain, row)},
                                {"ftp_goodput_kbit_s", single_json(scene, SceneFigure::ftp_goodput, row)}});
  }
  document["fitted"] = paper.fitted;
  document["claims"] = claims_json(claims_of(paper, results, brief));
}

// The paper's pictures: all sizes, and the small ones without the FIFO.
void draw(const std::filesystem::path& folder, const Paper& paper, const SceneResults& results) {
  for (std::size_t i = 0; i < paper.scenes.size(); ++i) {
    const SceneRows rows = rows_of(paper, results, i);
    std::vector<Series> all, small;
    for (const auto& [line, summary] : rows.lines) {
      Series& series = all.emplace_back(
          Series{std::string(line), estimate_scene(rows.scene, SceneFigure::response, *summary)});
      if (line == rows.lines.front().first) continue;
      Series& part = small.emplace_back(Series{series.name, {}});
      std::ranges::copy_if(series.points, std::back_inserter(part.points),
                           [](const auto& point) { return point.first <= kSmallFiles; });
    }
    if (all.empty()) continue;
    const Ordinate response{"mean response (s)", "response_s", "response_ci90"};
    const std::string name = "paper-" + paper.name + "-" + rows.scene.name;
    const std::string title = "Paper " + paper.name + ", " + rows.scene.title, axis = "size up to (kB)";
    draw_series({folder, name}, title, axis, all, true, response);
    if (!small.empty())
      draw_series({folder, name + "-small"}, title + ", small files", axis, small, false, response);
  }
}

std::string id_of(const Paper& paper, const ScenePoint& p) {
  return fmt::format("{}/{}", paper.scenes[p.scene].name, p.line);
}

SceneResults results_of(const Paper& paper, const Results& results) {
  SceneResults out;
  for (const ScenePoint& point : scene_points(paper)) {
    const auto at = results.find(id_of(paper, point));
    if (at != results.end()) out.emplace(point, at->second);
  }
  return out;
}

}  // namespace

Experiment scenes_experiment(const Paper& paper, bool brief, std::optional<double> seconds) {
  constexpr double kShortSeconds = 1000;
  constexpr unsigned kShortRuns = 2;
  if (!seconds && brief) seconds = kShortSeconds;
  Experiment e{paper.name, "Paper " + paper.name + ", " + paper.title, paper.scenario, paper.scenario_text,
               "a scene and scheme"};
  if (brief) e.runs = kShortRuns;
  for (const ScenePoint& p : scene_points(paper)) {
    Point& point =
        e.points.emplace_back(Point{id_of(paper, p), "scene " + id_of(paper, p), overrides_of(paper, p)});
    if (seconds) point.settings.push_back({"--seconds", "duration", std::to_string(*seconds) + "s"});
    point.adjust = [&scene = paper.scenes[p.scene]](Scenario& scenario) {
      return keep_flows(scenario, scene);
    };
  }
  e.text = [&paper, brief](const Outcome& o) { return text(paper, results_of(paper, o.results), brief); };
  e.add_json = [&paper, brief](const Outcome& o, Json& json) {
    add_json(paper, results_of(paper, o.results), brief, json);
  };
  e.draw = [&paper](const auto& folder, const Outcome& o) {
    draw(folder, paper, results_of(paper, o.results));
  };
  return e;
}

}  // namespace lab
