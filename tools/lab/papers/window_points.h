// Paper 001 section 5, simulated: each of its figures as points, which are one scenario under different
// settings, and what comes of a point. Plain values; the results are the caller's.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

enum class WindowFigure : std::uint8_t { capacity, variants, buffer, latency, random, congestion };
inline constexpr std::array<std::string_view, 6> kWindowFigures{"capacity", "variants", "buffer",
                                                                "latency",  "random",   "congestion"};
std::string_view name_of(WindowFigure figure);

inline constexpr std::array<std::string_view, 5> kSchemes{"DT", "WRS", "AR", "WRD", "WRB"};

// The default buffer, in packets.
inline constexpr double kDefaultBuffer = 20;

struct WindowPoint {
  WindowFigure figure{};
  unsigned users = 1;
  std::string_view line;  // a scheme; of `variants`, with DT, a TCP
  double x = 0;           // buffer in packets; wired round trip in ms; share of packets lost; kbit/s
  friend auto operator<=>(const WindowPoint&, const WindowPoint&) = default;
};

// `few`: about a third, for a first look. The paper's lines stay its own.
std::vector<WindowPoint> window_points(const Paper& paper, bool few);

// What makes the base scenario this point's.
config::Overrides overrides_of(const Paper& paper, const WindowPoint& point);
// Leaves the flows that are on.
void keep_flows(Scenario& scenario, const Paper& paper, const WindowPoint& point);
// One run: the users' flows together. The loss is the share of their packets that was lost on wires.
RunFigures run_point(const Scenario& scenario, const WindowPoint& point, std::uint64_t seed);

using WindowResults = std::map<WindowPoint, RowSummary>;  // points without a run are not there

// The points of one line, by x.
std::vector<std::pair<double, RowSummary>> line_of(const WindowResults& results, WindowFigure figure,
                                                   unsigned users, std::string_view line);

}  // namespace lab
