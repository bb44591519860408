// The sweeps of tools/lab/scenarios, point by point.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/lab/support.h"
#include "tools/lab/batch/sweep.h"

namespace lab::testing {

inline const std::filesystem::path kScenarios =
    std::filesystem::path(RNCD_SOURCE_ROOT) / "tools/lab/scenarios";

inline Sweep sweep_file(const char* name) {
  const auto text = config::read_file((kScenarios / name).string());
  auto sweep = load_sweep(text ? *text : "", name);
  EXPECT_TRUE(sweep) << name;
  return sweep ? *sweep : Sweep{};
}

inline config::Checked<Scenario> scenario_of(const Sweep& sweep, const SweepPoint& point,
                                             const std::vector<std::string>& flags = {}) {
  config::Overrides all;
  for (const auto& [key, value] : sweep.set) all.push_back({"set", key, value});
  for (const auto& [key, value] : point.settings) all.push_back({"grid", key, value});
  for (const auto& flag : flags) all.push_back(*config::override_from_flag(flag));
  return load_scenario_file((kScenarios / sweep.scenario).string(), all);
}

inline const SweepPoint& point_of(const Sweep& sweep, const std::string& label) {
  const auto found = std::ranges::find(sweep.points, label, &SweepPoint::label);
  EXPECT_NE(found, sweep.points.end()) << label;
  return *found;
}

}  // namespace lab::testing
