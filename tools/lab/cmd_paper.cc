#include "tools/lab/cmd_paper.h"

#include <algorithm>
#include <iostream>

#include "config/notation/words.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/lab/papers/figures_report.h"
#include "tools/lab/papers/linux_report.h"
#include "tools/lab/papers/paper_report.h"
#include "tools/lab/papers/paths_report.h"
#include "tools/lab/papers/scenes_report.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

// Prints the error and returns its exit code.
int fail(const dp::Error& error) {
  std::cerr << "rnclab: " << error.message << "\n";
  return error.exit_code;
}

// The scenarios of all points, checked before any of them runs. The user's settings come after a point's and
// override them.
dp::Result<std::vector<Scenario>> scenarios_of(const Experiment& experiment,
                                               const config::Overrides& users_own) {
  std::vector<Scenario> all;
  for (const Point& point : experiment.points) {
    config::Overrides overrides = point.settings;
    overrides.insert(overrides.end(), users_own.begin(), users_own.end());
    auto scenario = load_scenario(experiment.scenario_text, experiment.scenario, overrides);
    if (!scenario) {
      print_problems(scenario.problems);
      return dp::Error{point.name + " cannot run like this; see above", kConfiguration};
    }
    const dp::Status fits = point.adjust ? point.adjust(*scenario.value) : dp::ok();
    if (!fits) return dp::Error{point.name + ": " + fits.error().message, fits.error().exit_code};
    all.push_back(std::move(*scenario));
  }
  return all;
}

int report(const PaperOptions& options, const Experiment& experiment, const Outcome& outcome) {
  tools::table_stream(options.json) << report_text(experiment, outcome) << std::flush;
  std::cerr << speed_text(outcome.results);
  if (!options.json.empty()) tools::write_json(report_json(experiment, outcome), options.json);
  if (!options.plot.empty() && !outcome.results.empty()) experiment.draw(options.plot, outcome);
  for (const auto& [id, summary] : outcome.results) {
    if (summary.residue() == 0) continue;
    std::cerr << "rnclab: " << id << ": the data plane lost or damaged " << summary.residue()
              << " frames without a reason; please report this\n";
    return kFault;
  }
  if (outcome.setting.partial) return kInterrupted;
  const std::size_t broken = experiment.broken ? experiment.broken(outcome) : 0;
  if (broken == 0) return kOk;
  std::cerr << "rnclab: paper " << experiment.name << ": " << broken << " required "
            << (broken == 1 ? "claim does" : "claims do") << " not hold; see NO above\n";
  return kFault;
}

// True if the paper has figures or scenes instead of rows.
bool has_figures(const Paper& paper) { return !paper.figures.empty() || !paper.scenes.empty(); }

// The error of `--part` for a paper that has rows, which has no parts.
std::optional<dp::Error> part_of_rows(const PaperOptions& options, const std::string& name) {
  const char* given = !options.part.empty() ? "--part"
                      : options.seconds     ? "--seconds"
                      : options.brief       ? "--short"
                                            : nullptr;
  if (given == nullptr) return std::nullopt;
  return dp::Error{std::string(given) + ": found it with paper " + name +
                       ", which has rows; leave it out, or take paper 001, 003 or 004",
                   kUsage};
}
// The error of `--paths`, or of options that are only valid with it.
std::optional<dp::Error> wrong_paths(const PaperOptions& options) {
  if (!options.paths) {
    if (options.also.empty()) return std::nullopt;
    return dp::Error{"--also: found it without --paths, which tries low-delay's settings; add --paths",
                     kUsage};
  }
  if (options.name != kLinuxName) {
    return dp::Error{
        "--paths: found it with " +
            (options.name.empty() ? "no paper" : "paper '" + config::shorten(options.name) + "'") +
            ", expected linux: rnclab paper linux --paths",
        kUsage};
  }
  const char* given = !options.part.empty() ? "--part" : options.seconds ? "--seconds" : nullptr;
  if (!options.plot.empty()) given = "--plot";
  if (given == nullptr) return std::nullopt;
  return dp::Error{std::string(given) + ": found it with --paths, which has a table only; leave it out",
                   kUsage};
}

// The error of `--part` with a user's file, which has one part only.
std::optional<dp::Error> wrong_part_of_file(const PaperOptions& options, const Paper& paper) {
  if (options.part.empty() || options.part == paper.part) return std::nullopt;
  return dp::Error{"--part: found '" + config::shorten(options.part) + "' with " + options.name +
                       ", which is a part of its own; leave it out",
                   kUsage};
}

std::optional<dp::Error> wrong_part(const PaperOptions& options, const Paper& paper) {
  const std::string& name = paper.name;
  if (!has_figures(paper)) return part_of_rows(options, name);
  const bool built_in = !paper.file.empty();
  const std::string parts = config::one_of(parts_of(name)) + (paper.part.empty() ? ", or none" : "");
  if (!options.rows.empty()) {
    return dp::Error{"--row: found it with paper " + name + ", which has figures; " +
                         (paper.part.empty() || !built_in ? "leave it out" : "write --part " + parts),
                     kUsage};
  }
  if (!built_in) return wrong_part_of_file(options, paper);
  if (options.part == paper.part) return std::nullopt;
  return dp::Error{"--part: found " +
                       (options.part.empty() ? "none" : "'" + config::shorten(options.part) + "'") +
                       ", expected " + parts + " for paper " + name,
                   kUsage};
}

// The experiment that the options name, or the error in them.
dp::Result<Experiment> experiment_of(const PaperOptions& options) {
  if (options.paths) {
    auto paths = select_paths(options.rows);
    if (!paths) return paths.error();
    return paths_experiment(std::move(*paths), schemes(options.also), options.brief);
  }
  const auto paper = find_paper(options.name, options.part);
  if (!paper) return paper.error();
  if (const auto wrong = wrong_part(options, **paper)) return *wrong;
  if (!(*paper)->scenes.empty()) return scenes_experiment(**paper, options.brief, options.seconds);
  if (!(*paper)->figures.empty()) return figures_experiment(**paper, options.brief, options.seconds);
  auto rows = select_rows(**paper, options.rows);
  if (!rows) return rows.error();
  if (!(*paper)->qdiscs.empty()) return linux_experiment(**paper, *rows);
  return rows_experiment(**paper, std::move(*rows));
}

int run_experiment(const PaperOptions& options, const Experiment& experiment, const std::string& version) {
  const auto scenarios = scenarios_of(experiment, overrides_of(options));
  if (!scenarios) return fail(scenarios.error());
  const Scenario& first = scenarios->front();
  Outcome outcome;
  outcome.set = options.set;
  outcome.setting =
      setting_of(options, experiment.name, first, experiment.runs.value_or(first.runs), version);
  for (const Scenario& scenario : *scenarios) {
    outcome.longest_s = std::max(outcome.longest_s, seconds(scenario.duration));
  }
  tools::catch_interrupts();
  outcome.results =
      simulate_points(experiment, *scenarios, outcome.setting, options.jobs, tools::interrupted());
  outcome.setting.partial = tools::interrupted();
  return report(options, experiment, outcome);
}

// Prints the answer to --list.
int show_list(const PaperOptions& options) {
  if (!options.paths) {
    std::cout << catalogue_text();
    return kOk;
  }
  const auto paths = select_paths(options.rows);
  if (!paths) return fail(paths.error());
  std::cout << paths_list_text(*paths);
  return kOk;
}

}  // namespace

void add_paper_options(CLI::App& app, PaperOptions& o) {
  app.add_option(
      "name", o.name,
      "paper, such as 000; linux: the profile low-delay beside Linux's qdiscs; or a paper's file, FILE.yaml");
  app.add_option("--row", o.rows, "rows, such as A1,A6; B5 means all that begin with B5/ (default: all)")
      ->delimiter(',');
  app.add_option(
      "--part", o.part,
      "of paper 001: window, the figures of section 5, or web, those of section 6; of papers 003 and 004: "
      "today, what they are worth to the senders of today; of paper 003: air, over the air's round trip");
  app.add_option("--seconds", o.seconds, "with figures: simulated time of a run (default: the scenario's)")
      ->check(CLI::Range(40.0, 1e7));
  app.add_flag(
      "--short", o.brief,
      "with --part window: fewer points, a run of 300 s each; with --part web: two runs of 1000 s each; with "
      "papers 003 and 004: fewer points or shorter runs; with --paths: a run of 20 s each");
  app.add_flag("--paths", o.paths, "of paper linux: low-delay beside AQMs and drop-tail on a table of paths");
  app.add_option("--also", o.also,
                 "with --paths: low-delay with other settings of its window-regulator as well, such as "
                 "'target: 5ms, segments: 4'")
      ->type_name("KEYS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--list", o.list, "show papers and rows, run nothing");
  add_common_options(app, o);
}

int run_paper(const PaperOptions& options, const std::string& version) {
  if (const auto wrong = wrong_paths(options)) return fail(*wrong);
  if (options.list) return show_list(options);
  const auto experiment = experiment_of(options);
  return experiment ? run_experiment(options, *experiment, version) : fail(experiment.error());
}

}  // namespace lab
