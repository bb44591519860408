#include "tools/lab/cmd_linux.h"

#include <iostream>

#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/papers/linux_report.h"
#include "tools/lab/run/simulate.h"

namespace lab {
namespace {

// A run twice over: measured as a whole, and from where the scenario says.
struct Measured {
  Scenario whole, late;
};
struct Figures {
  RunFigures whole, late;
};

// The user's own settings come after the row's, so that they win.
dp::Result<std::vector<Measured>> scenarios_of(const PaperOptions& options, const LinuxOutcome& outcome) {
  std::vector<Measured> all;
  const std::string name(kLinuxScenario);
  for (const LinuxRow* row : outcome.rows) {
    config::Overrides overrides = overrides_of(*row);
    for (auto& one : overrides_of(options)) overrides.push_back(std::move(one));
    auto scenario = load_scenario(embedded_scenario(name), name, overrides);
    if (!scenario) {
      print_problems(scenario.problems);
      return dp::Error{"row " + std::string(row->id) + " cannot run like this; see above", kConfiguration};
    }
    Measured& measured = all.emplace_back(Measured{*scenario, *scenario});
    measured.whole.measure_from = dp::Duration{0};
  }
  return all;
}

LinuxFigures summary_of(const std::vector<std::optional<Figures>>& all, std::size_t row, std::size_t rows) {
  std::vector<RunFigures> whole, late;
  for (std::size_t i = row; i < all.size(); i += rows) {
    if (!all[i]) continue;
    whole.push_back(all[i]->whole);
    late.push_back(all[i]->late);
  }
  return {RowSummary(whole), RowSummary(late)};
}

// Rows take turns, so that an interruption leaves about as many runs of each.
LinuxResults simulate_rows(const PaperOptions& options, const LinuxOutcome& outcome,
                           const std::vector<Measured>& scenarios) {
  const std::size_t rows = outcome.rows.size(), total = rows * outcome.setting.runs;
  std::vector<std::optional<Figures>> figures(total);
  ProgressBar bar("runs");
  bar.show(0, total);
  run_pool(
      total, options.jobs,
      [&](std::size_t i) {
        const Measured& measured = scenarios[i % rows];
        const std::uint64_t seed = outcome.setting.seed + i / rows;
        figures[i] =
            Figures{figures_of(simulate(measured.whole, seed)), figures_of(simulate(measured.late, seed))};
      },
      [&](std::size_t done) { bar.show(done, total); }, &tools::interrupted());
  LinuxResults results;
  for (std::size_t row = 0; row < rows; ++row) {
    LinuxFigures summary = summary_of(figures, row, rows);
    if (summary.late.runs() != 0) results.emplace(outcome.rows[row]->id, std::move(summary));
  }
  return results;
}

int report(const PaperOptions& options, const LinuxOutcome& outcome) {
  tools::table_stream(options.json) << linux_text(outcome) << std::flush;
  if (!options.json.empty()) tools::write_json(linux_json(outcome), options.json);
  if (!options.plot.empty() && !outcome.results.empty()) draw_linux(options.plot, outcome);
  for (const auto& [id, figures] : outcome.results) {
    if (figures.whole.residue() + figures.late.residue() == 0) continue;
    std::cerr << "rnclab: row " << id << ": the data plane lost or damaged frames without a reason; please "
              << "report this\n";
    return kFault;
  }
  return outcome.setting.partial ? kInterrupted : kOk;
}

}  // namespace

int run_linux(const PaperOptions& options, const std::string& version) {
  LinuxOutcome outcome;
  auto rows = select_linux_rows(options.rows);
  if (!rows) return fail(rows.error());
  outcome.rows = std::move(*rows);
  const auto scenarios = scenarios_of(options, outcome);
  if (!scenarios) return fail(scenarios.error());
  const Scenario& first = scenarios->front().late;
  outcome.set = options.set;
  outcome.setting = setting_of(options, kLinuxName, first, first.runs, version);
  tools::catch_interrupts();
  outcome.results = simulate_rows(options, outcome, *scenarios);
  outcome.setting.partial = tools::interrupted();
  return report(options, outcome);
}

}  // namespace lab
