// A sweep as plain values: a scenario, and a grid over any of its settings. Each point of the grid is the
// scenario with some keys different. `all` among the values of an AQM's key means every AQM there is.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/notation/document.h"
#include "tools/lab/figures/sweep_picture.h"
#include "tools/lab/scenario/settings.h"

namespace lab {

struct SweepPoint {
  std::string label;                 // "sdus=20, count=4"
  Settings settings;                 // of the grid alone
  std::vector<std::string> choices;  // one of each axis; beside the grid: of all but the last two, its name
};

struct Sweep {
  std::string scenario;           // path, relative to the sweep's own file
  Settings set;                   // for all points
  std::vector<std::string> axes;  // what differs, the last one fastest
  std::vector<SweepPoint> points;
  std::optional<std::uint32_t> runs;
  std::optional<std::uint64_t> seed;
  std::vector<SweepPicture> pictures;
};

inline constexpr std::size_t kMaxPoints = 100'000;

// All problems with line and reason, or a grid with at least one point.
config::Checked<Sweep> load_sweep(std::string_view yaml, const std::string& file_name);

// What stands for a point in the file of results: everything that its figures depend on.
std::string point_key(std::string_view version, std::string_view scenario_text,
                      const config::Overrides& overrides, unsigned runs, std::uint64_t seed);

}  // namespace lab
