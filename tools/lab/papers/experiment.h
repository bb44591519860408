// What all experiments of `rnclab paper` have in common: points, which are one scenario under different
// settings, their figures over runs, and the frame of what is reported on them. Plain values; what is said of
// the figures are functions, which hold what they need.
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
  std::string id;              // of its figures
  std::string name;            // in messages: "row A1"
  config::Overrides settings;  // what makes the base scenario this point's
  // Behind the settings, the user's among them; answers why the scenario does not fit. May be empty.
  std::function<dp::Status(Scenario&)> adjust{};
  // One run. Empty: the figures of all flows and bearers.
  std::function<RunFigures(const Scenario&, std::uint64_t seed)> measure{};
};

// By the point's id; points without a run are not there.
using Results = std::map<std::string, RowSummary, std::less<>>;

struct Outcome {
  RunSetting setting;
  double longest_s = 0;          // simulated seconds of a run, where points differ; setting has the first's
  std::vector<std::string> set;  // keys that the user made different
  Results results;
};

struct Experiment {
  std::string name;      // as figures are told of it: 000
  std::string title;     // the report's first line
  std::string scenario;  // the file with which all points begin, and its text
  std::string scenario_text;
  std::string each;  // what has so many runs: "a row"; may be empty
  std::vector<Point> points{};
  std::optional<unsigned> runs{};  // of a point, when the user gives no number; none: the scenario's
  // Tables and claims, with the lines that say what they are. This and the next are there always.
  std::function<std::string(const Outcome&)> text{};
  // The rows, and the members that others have not.
  std::function<void(const Outcome&, Json& document)> add_json{};
  // Empty: there are no pictures.
  std::function<void(const std::filesystem::path& folder, const Outcome&)> draw{};
  // How many required claims do not hold, where that is to fail the command; may be empty.
  std::function<std::size_t(const Outcome&)> broken{};
};

// `setting.runs` runs of each point with the seeds setting.seed, setting.seed + 1 ..., on `jobs` threads,
// with a progress bar. Points take turns, so that an end by `stop` leaves about as many runs of each.
// Requires: `scenarios` are the points', in their order.
Results simulate_points(const Experiment& experiment, const std::vector<Scenario>& scenarios,
                        const RunSetting& setting, unsigned jobs, const std::atomic<bool>& stop);

// The speed of the runs: the only words of a report that differ from one call to the next.
std::string speed_text(const Results& results);
std::string report_text(const Experiment& experiment, const Outcome& outcome);
Json report_json(const Experiment& experiment, const Outcome& outcome);

}  // namespace lab
