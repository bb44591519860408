#include "tools/lab/cmd_paper.h"

#include <chrono>
#include <iostream>

#include "config/notation/words.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/cmd_linux.h"
#include "tools/lab/cmd_paths.h"
#include "tools/lab/cmd_window.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/papers/linux_rows.h"
#include "tools/lab/papers/paper_report.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

// The user's own settings come after the row's, so that they win.
dp::Result<std::vector<Scenario>> scenarios_of(const PaperOptions& options, const PaperOutcome& outcome) {
  std::vector<Scenario> all;
  const std::string name(outcome.paper->scenario);
  for (const PaperRow* row : outcome.rows) {
    config::Overrides overrides = overrides_of(*row);
    for (auto& one : overrides_of(options)) overrides.push_back(std::move(one));
    auto scenario = load_scenario(embedded_scenario(name), name, overrides);
    if (!scenario) {
      print_problems(scenario.problems);
      return dp::Error{"row " + std::string(row->id) + " cannot run like this; see above", kConfiguration};
    }
    all.push_back(std::move(*scenario));
  }
  return all;
}

// Rows take turns, so that an interruption leaves about as many runs of each.
Results simulate_rows(const PaperOptions& options, const PaperOutcome& outcome,
                      const std::vector<Scenario>& scenarios) {
  const std::size_t rows = outcome.rows.size(), total = rows * outcome.setting.runs;
  std::vector<std::optional<RunFigures>> figures(total);
  ProgressBar bar("runs");
  bar.show(0, total);
  run_pool(
      total, options.jobs,
      [&](std::size_t i) {
        figures[i] = figures_of(simulate(scenarios[i % rows], outcome.setting.seed + i / rows));
      },
      [&](std::size_t done) { bar.show(done, total); }, &tools::interrupted());
  Results results;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<RunFigures> runs;
    for (std::size_t i = row; i < total; i += rows) {
      if (figures[i]) runs.push_back(*figures[i]);
    }
    if (!runs.empty()) results.emplace(outcome.rows[row]->id, RowSummary(runs));
  }
  return results;
}

int report(const PaperOptions& options, const PaperOutcome& outcome) {
  tools::table_stream(options.json) << paper_text(outcome) << std::flush;
  if (!options.json.empty()) tools::write_json(paper_json(outcome), options.json);
  if (!options.plot.empty() && !outcome.results.empty()) draw_paper(options.plot, outcome);
  for (const auto& [id, summary] : outcome.results) {
    if (summary.residue() == 0) continue;
    std::cerr << "rnclab: row " << id << ": the data plane lost or damaged " << summary.residue()
              << " frames without a reason; please report this\n";
    return kFault;
  }
  return outcome.setting.partial ? kInterrupted : kOk;
}

// Of what has rows, and no part.
std::optional<dp::Error> part_of_rows(const PaperOptions& options, const std::string& name) {
  const char* given = !options.part.empty() ? "--part"
                      : options.seconds     ? "--seconds"
                      : options.brief       ? "--short"
                                            : nullptr;
  if (given == nullptr) return std::nullopt;
  return dp::Error{std::string(given) + ": found it with paper " + name +
                       ", which has rows; leave it out, or take paper 001",
                   kUsage};
}
// --paths and what goes with it alone.
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
std::optional<dp::Error> wrong_part(const PaperOptions& options, const Paper& paper) {
  const std::string name(paper.name), part(paper.part);
  if (part.empty()) return part_of_rows(options, name);
  if (!options.rows.empty()) {
    return dp::Error{"--row: found it with paper " + name + ", which has figures; write --part " + part,
                     kUsage};
  }
  if (options.part == part) return std::nullopt;
  return dp::Error{"--part: found " +
                       (options.part.empty() ? "none" : "'" + config::shorten(options.part) + "'") +
                       ", expected " + part + " for paper " + name,
                   kUsage};
}

}  // namespace

RunSetting setting_of(const PaperOptions& options, std::string_view name, const Scenario& first,
                      std::uint32_t runs, const std::string& version) {
  RunSetting setting;
  setting.version = version;
  setting.scenario = name;
  setting.runs = options.runs.value_or(runs);
  setting.seed = options.seed.value_or(first.seed);
  setting.duration_s = std::chrono::duration<double>(first.duration).count();
  return setting;
}

int fail(const dp::Error& error) {
  std::cerr << "rnclab: " << error.message << "\n";
  return error.exit_code;
}

void add_paper_options(CLI::App& app, PaperOptions& o) {
  app.add_option("name", o.name, "paper, such as 000; or linux: the profile low-delay beside Linux's qdiscs");
  app.add_option("--row", o.rows, "rows, such as A1,A6; B5 means all that begin with B5/ (default: all)")
      ->delimiter(',');
  app.add_option("--part", o.part, "of paper 001: window, the figures of section 5");
  app.add_option("--seconds", o.seconds, "with --part: simulated time of a run (default: the scenario's)")
      ->check(CLI::Range(40.0, 1e7));
  app.add_flag("--short", o.brief,
               "with --part: fewer points, a run of 300 s each; with --paths: a run of 20 s each");
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
  if (options.paths) return run_paths(options, version);
  if (options.list) {
    std::cout << catalogue_text();
    return kOk;
  }
  if (options.name == kLinuxName) {
    const auto wrong = part_of_rows(options, options.name);
    return wrong ? fail(*wrong) : run_linux(options, version);
  }
  const auto paper = find_paper(options.name);
  if (!paper) return fail(paper.error());
  if (const auto wrong = wrong_part(options, **paper)) return fail(*wrong);
  if (!(*paper)->part.empty()) return run_window(options, **paper, version);
  PaperOutcome outcome;
  outcome.paper = *paper;
  auto rows = select_rows(**paper, options.rows);
  if (!rows) return fail(rows.error());
  outcome.rows = std::move(*rows);
  const auto scenarios = scenarios_of(options, outcome);
  if (!scenarios) return fail(scenarios.error());
  outcome.set = options.set;
  outcome.setting = setting_of(options, (*paper)->name, scenarios->front(), scenarios->front().runs, version);
  tools::catch_interrupts();
  outcome.results = simulate_rows(options, outcome, *scenarios);
  outcome.setting.partial = tools::interrupted();
  return report(options, outcome);
}

}  // namespace lab
