// The common part of all `rnclab paper` experiments: points, which are one scenario under different settings;
// their figures over runs; and the report's frame. Plain values; the report functions hold what they need.
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/load.h"
#include "dataplane/base/result.h"
#include "tools/lab/figures/json.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

struct Point {
  std::string id;              // id of its figures
  std::string name;            // in messages: "row A1"
  config::Overrides settings;  // this point's settings, applied to the base scenario
  // Runs after all settings, including the user's; returns why the scenario does not fit. May be empty.
  std::function<dp::Status(Scenario&)> adjust{};
  // Simulates one run. Empty: the figures of all flows and bearers.
  std::function<RunFigures(const Scenario&, std::uint64_t seed)> measure{};
};

// Results by point id, without points that have no run.
using Results = std::map<std::string, RowSummary, std::less<>>;

struct Outcome {
  RunSetting setting;
  double longest_s = 0;          // simulated seconds of the longest run, if points differ; setting has the
                                 // first's
  std::vector<std::string> set;  // keys that the user changed
  Results results;
};

struct Experiment {
  std::string name;      // as in reports: 000
  std::string title;     // the report's first line
  std::string scenario;  // the base scenario's file, and its text
  std::string scenario_text;
  std::string each;  // the unit that has `runs` runs: "a row"; may be empty
  std::vector<Point> points{};
  std::optional<unsigned> runs{};  // runs of a point if the user gives no number; none: the scenario's
  // Tables and claims with their headings. Never empty, like add_json.
  std::function<std::string(const Outcome&)> text{};
  // Adds the rows and the members specific to this experiment.
  std::function<void(const Outcome&, Json& document)> add_json{};
  // Empty if there are no pictures.
  std::function<void(const std::filesystem::path& folder, const Outcome&)> draw{};
  // The number of failed required claims, if these fail the command; may be empty.
  std::function<std::size_t(const Outcome&)> broken{};
};

// `setting.runs` runs of each point with the seeds setting.seed, setting.seed + 1 ..., on `jobs` threads,
// with a progress bar. Points take turns, so that after `stop` all have about the same number of runs.
// Requires: `scenarios` are the points', in their order.
Results simulate_points(const Experiment& experiment, const std::vector<Scenario>& scenarios,
                        const RunSetting& setting, unsigned jobs, const std::atomic<bool>& stop);

// The speed of the runs: the only text of a report that differs between calls.
std::string speed_text(const Results& results);
std::string report_text(const Experiment& experiment, const Outcome& outcome);
Json report_json(const Experiment& experiment, const Outcome& outcome);

}  // namespace lab
