// A sweep as plain values: a scenario, and a grid over any of its settings. Each point of the grid is the
// scenario with some keys different. The value `all` of an AQM's key stands for every AQM.
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
  Settings settings;                 // the grid's only
  std::vector<std::string> choices;  // one for each axis; a point beside the grid: one for each axis but the
                                     // last two, and its name
};

struct Sweep {
  std::string scenario;           // path, relative to the sweep's own file
  Settings set;                   // for all points
  std::vector<std::string> axes;  // names of the axes, the fastest last
  std::vector<SweepPoint> points;
  std::optional<std::uint32_t> runs;
  std::optional<std::uint64_t> seed;
  std::vector<SweepPicture> pictures;
};

inline constexpr std::size_t kMaxPoints = 100'000;

// All problems with line and reason, or a grid with at least one point.
config::Checked<Sweep> load_sweep(std::string_view yaml, const std::string& file_name);

// A point's key in the file of results: it depends on everything that determines the point's figures.
std::string point_key(std::string_view version, std::string_view scenario_text,
                      const config::Overrides& overrides, unsigned runs, std::uint64_t seed);

}  // namespace lab
