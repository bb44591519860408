#include "tools/lab/papers/experiment.h"

#include <utility>

#include <fmt/format.h>

#include "dataplane/base/expect.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/run/simulate.h"

namespace lab {
namespace {

RunFigures measure(const Point& point, const Scenario& scenario, std::uint64_t seed) {
  return point.measure ? point.measure(scenario, seed) : figures_of(simulate(scenario, seed));
}

}  // namespace

Results simulate_points(const Experiment& experiment, const std::vector<Scenario>& scenarios,
                        const RunSetting& setting, unsigned jobs, const std::atomic<bool>& stop) {
  DP_EXPECT(scenarios.size() == experiment.points.size());
  const std::size_t points = scenarios.size(), total = points * setting.runs;
  std::vector<std::optional<RunFigures>> figures(total);
  ProgressBar bar("runs");
  bar.show(0, total);
  const auto work = [&](std::size_t i) {
    const std::size_t at = i % points;
    figures[i] = measure(experiment.points[at], scenarios[at], setting.seed + i / points);
  };
  run_pool(
      total, jobs, work, [&](std::size_t done) { bar.show(done, total); }, &stop);
  Results results;
  for (std::size_t at = 0; at < points; ++at) {
    std::vector<RunFigures> runs;
    for (std::size_t i = at; i < total; i += points) {
      if (figures[i]) runs.push_back(*figures[i]);
    }
    if (!runs.empty()) results.emplace(experiment.points[at].id, RowSummary(runs));
  }
  return results;
}

std::string speed_text(const Results& results) {
  double flow_seconds = 0, wall_s = 0;
  for (const auto& [id, summary] : results) {
    flow_seconds += summary.flow_seconds();
    wall_s += summary.wall();
  }
  return speed_text(flow_seconds, wall_s);
}

std::string report_text(const Experiment& experiment, const Outcome& o) {
  DP_EXPECT(experiment.text);
  const std::string longest =
      o.longest_s > o.setting.duration_s ? fmt::format(" to {:.0f}", o.longest_s) : "";
  std::string text =
      fmt::format("{}\n{} run{} of {:.0f}{} s {}{}from seed {}; ± is half of the 90 % interval",
                  experiment.title, o.setting.runs, o.setting.runs == 1 ? "" : "s", o.setting.duration_s,
                  longest, experiment.each, experiment.each.empty() ? "" : " ", o.setting.seed);
  for (const auto& argument : o.set) text += "; --set " + argument;
  return text + "\n\n" + experiment.text(o) + partial_text(o.setting.partial);
}

Json report_json(const Experiment& experiment, const Outcome& o) {
  DP_EXPECT(experiment.add_json);
  Json document = document_json(o.setting, Json::array());
  document["set"] = o.set;
  experiment.add_json(o, document);
  return document;
}

}  // namespace lab
