#include "tools/lab/cmd_paths.h"

#include <iostream>

#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/linux_rows.h"
#include "tools/lab/papers/paths_report.h"
#include "tools/lab/run/simulate.h"

namespace lab {
namespace {

// Of --short: once, and long enough for every path to leave its start behind.
constexpr dp::Duration kBrief = std::chrono::seconds{20}, kBriefFrom = std::chrono::seconds{8};

struct Job {
  std::size_t path, scheme;
  Scenario scenario;
};

// The user's own settings come last, so that they win.
dp::Result<std::vector<Job>> jobs_of(const PaperOptions& options, const PathsOutcome& outcome) {
  const std::string name(kPathScenario);
  const auto base = load_scenario(embedded_scenario(name), name, overrides_of(options));
  if (!base) {
    print_problems(base.problems);
    return dp::Error{"no path can run like this; see above", kConfiguration};
  }
  std::vector<Job> jobs;
  for (std::size_t p = 0; p < outcome.paths.size(); ++p) {
    for (std::size_t s = 0; s < outcome.schemes.size(); ++s) {
      const dp::Duration duration = options.brief ? kBrief : base->duration;
      config::Overrides overrides = overrides_of(outcome.paths[p], outcome.schemes[s], duration);
      if (options.brief) {
        overrides.push_back({"--short", "duration", std::to_string(kBrief.count()) + "ns"});
        overrides.push_back({"--short", "measure_from", std::to_string(kBriefFrom.count()) + "ns"});
      }
      for (auto& one : overrides_of(options)) overrides.push_back(std::move(one));
      auto scenario = load_scenario(embedded_scenario(name), name, overrides);
      if (!scenario) {
        print_problems(scenario.problems);
        return dp::Error{"path " + outcome.paths[p].name + " cannot run with " + outcome.schemes[s].name +
                             " like this; see above",
                         kConfiguration};
      }
      jobs.push_back({p, s, std::move(*scenario)});
    }
  }
  return jobs;
}

// Jobs take turns, so that an interruption leaves about as many runs of each.
double simulate_jobs(const std::vector<Job>& jobs, const PaperOptions& options, PathsOutcome& outcome) {
  const std::size_t total = jobs.size() * outcome.setting.runs;
  std::vector<std::optional<RunFigures>> figures(total);
  ProgressBar bar("runs");
  bar.show(0, total);
  run_pool(
      total, options.jobs,
      [&](std::size_t i) {
        const std::uint64_t seed = outcome.setting.seed + i / jobs.size();
        figures[i] = figures_of(simulate(jobs[i % jobs.size()].scenario, seed));
      },
      [&](std::size_t done) { bar.show(done, total); }, &tools::interrupted());
  double residue = 0;
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    std::vector<RunFigures> runs;
    for (std::size_t i = at; i < total; i += jobs.size()) {
      if (figures[i]) runs.push_back(*figures[i]);
    }
    if (runs.empty()) continue;
    RowSummary row(runs);
    residue += row.residue();
    outcome.results.emplace(std::pair{jobs[at].path, jobs[at].scheme}, std::move(row));
  }
  return residue;
}

}  // namespace

int run_paths(const PaperOptions& options, const std::string& version) {
  PathsOutcome outcome;
  auto paths = select_paths(options.rows);
  if (!paths) return fail(paths.error());
  outcome.paths = std::move(*paths);
  if (options.list) {
    std::cout << paths_list_text(outcome.paths);
    return kOk;
  }
  outcome.schemes = schemes(options.also);
  const auto jobs = jobs_of(options, outcome);
  if (!jobs) return fail(jobs.error());
  outcome.set = options.set;
  const Scenario& first = jobs->front().scenario;
  outcome.setting = setting_of(options, std::string(kLinuxName) + " --paths", first,
                               options.brief ? 1 : first.runs, version);
  tools::catch_interrupts();
  const double residue = simulate_jobs(*jobs, options, outcome);
  outcome.setting.partial = tools::interrupted();
  tools::table_stream(options.json) << paths_text(outcome) << std::flush;
  if (!options.json.empty()) tools::write_json(paths_json(outcome), options.json);
  if (residue != 0) {
    std::cerr << "rnclab: the data plane lost or damaged " << residue
              << " frames without a reason; please report this\n";
    return kFault;
  }
  return outcome.setting.partial ? kInterrupted : kOk;
}

}  // namespace lab
