#include "tools/lab/cmd_sweep.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/table.h"
#include "tools/lab/batch/processes.h"
#include "tools/lab/batch/runs.h"
#include "tools/lab/batch/sweep.h"
#include "tools/lab/batch/sweep_store.h"
#include "tools/lab/figures/progress.h"
#include "tools/lab/figures/sweep_picture.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/scenario/scenario.h"
#include "tools/lab/scenario/trace_cap.h"

namespace lab {
namespace {

struct PlannedPoint {
  std::string label, key;
  std::vector<std::string> choices;
  Settings settings;
  Scenario scenario;
  unsigned runs = 0;
  std::uint64_t seed = 0;
};

struct Plan {
  std::vector<std::string> axes, warnings;
  std::vector<SweepPicture> pictures;
  std::vector<PlannedPoint> points;
  RunSetting setting;
};

config::Overrides overrides_of(const Sweep& sweep, const SweepPoint& point, const SweepOptions& options) {
  config::Overrides all;
  for (const auto& [key, value] : sweep.set) all.push_back({options.file + " (set)", key, value});
  for (const auto& [key, value] : point.settings) {
    all.push_back({options.file + " (grid: " + point.label + ")", key, value});
  }
  for (auto& one : overrides_of(options)) all.push_back(std::move(one));
  return all;
}

// Checks every point before any of them runs.
std::vector<config::Problem> add_points(Plan& plan, const Sweep& sweep, const SweepOptions& options,
                                        const std::string& path, const std::string& text) {
  for (const SweepPoint& grid : sweep.points) {
    const auto overrides = overrides_of(sweep, grid, options);
    auto scenario = load_scenario(text, path, overrides);
    if (!scenario) return scenario.problems;
    for (std::string& warning : warnings_of(*scenario)) {
      if (std::ranges::find(plan.warnings, warning) == plan.warnings.end()) {
        plan.warnings.push_back(std::move(warning));
      }
    }
    PlannedPoint& point = plan.points.emplace_back();
    point.label = grid.label;
    point.settings = grid.settings;
    point.choices = grid.choices;
    point.runs = options.runs.value_or(sweep.runs.value_or(scenario->runs));
    point.seed = options.seed.value_or(sweep.seed.value_or(scenario->seed));
    point.key = point_key(plan.setting.version, text, overrides, point.runs, point.seed);
    point.scenario = std::move(*scenario);
  }
  return {};
}

std::optional<Plan> plan_of(const SweepOptions& options, const std::string& version) {
  auto text = config::read_file(options.file);
  auto sweep = text ? load_sweep(*text, options.file) : config::Checked<Sweep>{{}, std::move(text.problems)};
  if (!sweep) {
    print_problems(sweep.problems);
    return std::nullopt;
  }
  const auto path = (std::filesystem::path(options.file).parent_path() / sweep->scenario).string();
  auto scenario = config::read_file(path);
  Plan plan;
  plan.axes = sweep->axes;
  plan.pictures = sweep->pictures;
  plan.setting.version = version;
  auto problems = scenario ? add_points(plan, *sweep, options, path, *scenario) : scenario.problems;
  if (!problems.empty()) {
    print_problems(problems);
    return std::nullopt;
  }
  const PlannedPoint& first = plan.points.front();
  plan.setting.scenario = sweep->scenario;
  plan.setting.runs = first.runs;
  plan.setting.seed = first.seed;
  plan.setting.duration_s = std::chrono::duration<double>(first.scenario.duration).count();
  return plan;
}

Json settings_json(const Settings& settings) {
  Json json = Json::object();
  for (const auto& [key, value] : settings) json[key] = value;
  return json;
}

// Runs in a process of its own; none if it was interrupted.
std::optional<std::string> simulate_point(const PlannedPoint& point, unsigned jobs,
                                          const std::function<void()>& tick) {
  const auto runs = run_many(
      point.scenario, point.runs, point.seed, jobs, [&](unsigned, unsigned) { tick(); },
      &tools::interrupted());
  if (runs.size() != point.runs) return std::nullopt;
  const RowSummary summary = summarise(runs);
  Json row = row_json(point.label, static_cast<unsigned>(runs.front().flows.size()), summary);
  row["set"] = settings_json(point.settings);
  return Json{{"row", std::move(row)},
              {"residue", summary.residue()},
              {"flow_seconds", summary.flow_seconds()},
              {"busy_s", summary.wall()}}
      .dump();
}

struct Simulated {
  std::size_t failed = 0;  // points
  double flow_seconds = 0, busy_s = 0;
};

// No wall-clock time goes into the store.
Simulated simulate_missing(const Plan& plan, SweepStore& store, unsigned jobs) {
  std::vector<const PlannedPoint*> missing;
  std::size_t total = 0, runs = 0;
  Simulated simulated;
  for (const PlannedPoint& point : plan.points) {
    if (store.find(point.key) != nullptr) continue;
    missing.push_back(&point);
    total += point.runs;
  }
  const unsigned each = std::max(1u, jobs / static_cast<unsigned>(std::max<std::size_t>(missing.size(), 1)));
  ProgressBar bar("runs");
  if (total != 0) bar.show(0, total);
  ProcessWork work;
  work.work = [&](std::size_t i, const auto& tick) { return simulate_point(*missing[i], each, tick); };
  work.ticked = [&] { bar.show(++runs, total); };
  work.done = [&](std::size_t i, const std::optional<std::string>& line, const std::string& why) {
    if (line) {
      Json point = Json::parse(*line);
      simulated.flow_seconds += number_at(point, "/flow_seconds");
      simulated.busy_s += number_at(point, "/busy_s");
      point.erase("busy_s");
      return store.add(missing[i]->key, point);
    }
    if (tools::interrupted()) return;
    ++simulated.failed;
    std::cerr << "rnclab: point " << missing[i]->label << ": " << why << "\n";
  };
  run_processes(missing.size(), jobs, work, tools::interrupted());
  return simulated;
}

std::string table_of(const Json& rows) {
  tools::Table table({"POINT", ">kbit/s, 1500", ">delay, s", ">95 %, s", ">carried, %", ">BO, SDU",
                      ">overflow", ">AQM", ">timeouts", ">Jain"});
  for (const Json& row : rows) {
    table.add(
        {row["id"].get<std::string>(), text_of(estimate_at(row, "goodput_kbit_s"), 1),
         text_of(estimate_at(row, "delay_s"), 3), text_of(estimate_at(row, "delay_p95_s").mean, 3),
         text_of(estimate_at(row, "carried").mean * 100, 1), text_of(estimate_at(row, "bo_sdu").mean, 1),
         text_of(estimate_at(row, "drops/overflow").mean, 1), text_of(estimate_at(row, "drops/aqm").mean, 1),
         text_of(estimate_at(row, "timeouts").mean, 1), text_of(estimate_at(row, "jain").mean, 3)});
  }
  return table.text();
}

struct Total {
  Json rows = Json::array();
  std::vector<SweepRow> drawn;  // includes points that have not run
  double residue = 0;
};

Total total_of(const Plan& plan, const SweepStore& store) {
  Total total;
  for (const PlannedPoint& point : plan.points) {
    const Json* stored = store.find(point.key);
    total.drawn.push_back({point.choices, stored == nullptr ? Json() : stored->at("row")});
    if (stored == nullptr) continue;
    total.rows.push_back(stored->at("row"));
    total.residue += number_at(*stored, "/residue");
  }
  return total;
}

int report(const SweepOptions& options, const Plan& plan, const SweepStore& store,
           const Simulated& simulated) {
  RunSetting setting = plan.setting;
  setting.partial = tools::interrupted();
  const Total total = total_of(plan, store);
  tools::table_stream(options.json) << table_of(total.rows) << "\n"
                                    << total.rows.size() << " of " << plan.points.size()
                                    << " points, each over " << setting.runs << " runs from seed "
                                    << setting.seed << "; kept in " << store.file().string() << "\n"
                                    << partial_text(setting.partial) << std::flush;
  if (simulated.busy_s > 0) std::cerr << speed_text(simulated.flow_seconds, simulated.busy_s);
  if (!options.json.empty()) tools::write_json(document_json(setting, total.rows), options.json);
  if (!options.plot.empty())
    draw_sweep(options.plot, setting.scenario, plan.axes, total.drawn, plan.pictures);
  if (total.residue != 0)
    std::cerr << "rnclab: frames were lost or damaged without a reason; please report it\n";
  if (simulated.failed != 0 || total.residue != 0) return kFault;
  return setting.partial ? kInterrupted : kOk;
}

}  // namespace

void add_sweep_options(CLI::App& app, SweepOptions& o) {
  app.add_option("file", o.file, "sweep")->required();
  app.add_option("--out", o.out,
                 "folder that keeps the points (default: the file's name without its ending)");
  add_common_options(app, o);
}

int run_sweep(const SweepOptions& options, const std::string& version) {
  const auto plan = plan_of(options, version);
  if (!plan) return kConfiguration;
  print_warnings(plan->warnings);
  const auto stem = std::filesystem::path(options.file).stem();
  SweepStore store(options.out.empty() ? stem : std::filesystem::path(options.out));
  tools::catch_interrupts();
  const Simulated simulated = simulate_missing(*plan, store, options.jobs);
  return report(options, *plan, store, simulated);
}

}  // namespace lab
