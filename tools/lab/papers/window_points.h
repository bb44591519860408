// Paper 001 section 5, simulated: each of its figures as points, which are one scenario under different
// settings, and what comes of a point. Plain values; the results are the caller's.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "tools/lab/figures/stats.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

enum class WindowFigure : std::uint8_t { capacity, variants, buffer, latency, random, congestion };

inline constexpr std::array<std::string_view, 5> kSchemes{"DT", "WRS", "AR", "WRD", "WRB"};
inline constexpr std::array<std::string_view, 3> kVariants{"sack", "reno", "westwood-nr"};

// The default buffer, in packets.
inline constexpr unsigned kDefaultBuffer = 20;

struct WindowPoint {
  WindowFigure figure{};
  unsigned users = 1;
  std::string_view line;  // a scheme; of `variants`, with DT, a TCP
  double x = 0;           // buffer in packets; wired round trip in ms; share of packets lost; kbit/s
  friend auto operator<=>(const WindowPoint&, const WindowPoint&) = default;
};

// `few`: about a third, for a first look.
std::vector<WindowPoint> window_points(bool few);

// What makes the base scenario this point's.
config::Overrides overrides_of(const WindowPoint& point);
// Leaves the flows that are on.
void keep_flows(Scenario& scenario, const WindowPoint& point);

// One run: the users' flows together. `loss`: share of their packets that was lost on wires.
struct WindowRun {
  double goodput_kbit_s = 0, rtt_s = 0, loss = 0, overflow = 0, timeouts = 0, jain = 0;
  double residue = 0, flow_seconds = 0, wall = 0;
};
WindowRun run_point(const Scenario& scenario, const WindowPoint& point, std::uint64_t seed);

// Over runs that differ in their seed.
struct WindowSummary {
  Estimate goodput_kbit_s, rtt_s, loss, overflow, timeouts, jain;
};
WindowSummary summarise(std::span<const WindowRun> runs);

using WindowResults = std::map<WindowPoint, WindowSummary>;  // points without a run are not there

// The points of one line, by x.
std::vector<std::pair<double, WindowSummary>> line_of(const WindowResults& results, WindowFigure figure,
                                                      unsigned users, std::string_view line);

}  // namespace lab
