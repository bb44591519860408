#include "tools/lab/cmd_window.h"

#include <iostream>
#include <optional>

#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/papers/window_report.h"

namespace lab {
namespace {

constexpr double kShortSeconds = 300;

struct Job {
  WindowPoint point;
  Scenario scenario;
};

// The user's own settings come after the point's, so that they win. Empty when one cannot run.
std::vector<Job> jobs_of(const PaperOptions& options, const Paper& paper) {
  std::vector<Job> all;
  const std::string name(paper.scenario);
  for (const WindowPoint& point : window_points(options.brief)) {
    config::Overrides overrides = overrides_of(point);
    std::optional<double> seconds = options.seconds;
    if (!seconds && options.brief) seconds = kShortSeconds;
    if (seconds) overrides.push_back({"--seconds", "duration", std::to_string(*seconds) + "s"});
    for (auto& one : overrides_of(options)) overrides.push_back(std::move(one));
    auto scenario = load_scenario(embedded_scenario(name), name, overrides);
    if (!scenario) {
      print_problems(scenario.problems);
      return {};
    }
    keep_flows(*scenario.value, point);
    all.push_back({point, std::move(*scenario.value)});
  }
  return all;
}

// Points take turns, so that an interruption leaves about as many runs of each. Answers the frames that were
// lost without a reason.
double simulate_points(const std::vector<Job>& jobs, unsigned threads, WindowOutcome& outcome) {
  const std::size_t points = jobs.size(), total = points * outcome.setting.runs;
  std::vector<std::optional<WindowRun>> runs(total);
  ProgressBar bar("runs");
  bar.show(0, total);
  run_pool(
      total, threads,
      [&](std::size_t i) {
        const Job& job = jobs[i % points];
        runs[i] = run_point(job.scenario, job.point, outcome.setting.seed + i / points);
      },
      [&](std::size_t done) { bar.show(done, total); }, &tools::interrupted());
  double residue = 0;
  for (std::size_t at = 0; at < points; ++at) {
    std::vector<WindowRun> own;
    for (std::size_t i = at; i < total; i += points) {
      if (!runs[i]) continue;
      own.push_back(*runs[i]);
      residue += own.back().residue;
      outcome.flow_seconds += own.back().flow_seconds;
      outcome.wall_s += own.back().wall;
    }
    if (!own.empty()) outcome.results.emplace(jobs[at].point, summarise(own));
  }
  return residue;
}

}  // namespace

int run_window(const PaperOptions& options, const Paper& paper, const std::string& version) {
  const std::vector<Job> jobs = jobs_of(options, paper);
  if (jobs.empty()) return kConfiguration;
  const Scenario& first = jobs.front().scenario;
  WindowOutcome outcome;
  outcome.paper = &paper;
  outcome.set = options.set;
  outcome.setting = setting_of(options, paper.name, first, options.brief ? 1 : first.runs, version);
  tools::catch_interrupts();
  const double residue = simulate_points(jobs, options.jobs, outcome);
  outcome.setting.partial = tools::interrupted();
  tools::table_stream(options.json) << window_text(outcome) << std::flush;
  if (!options.json.empty()) tools::write_json(window_json(outcome), options.json);
  if (!options.plot.empty() && !outcome.results.empty()) draw_window(options.plot, outcome);
  if (residue != 0) {
    std::cerr << "rnclab: the data plane lost or damaged " << residue
              << " frames without a reason; please report this\n";
    return kFault;
  }
  return outcome.setting.partial ? kInterrupted : kOk;
}

}  // namespace lab
