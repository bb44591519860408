// A paper's figures, simulated: the points of each, which are one scenario under different settings, and
// their runs. Plain values; the caller owns the results.
#pragma once
#include <compare>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load.h"
#include "dataplane/base/result.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

// The default buffer, in packets.
inline constexpr double kDefaultBuffer = 20;

struct FigurePoint {
  std::size_t figure = 0;  // index among the paper's figures
  unsigned users = 1;
  std::string_view line;
  double x = 0;
  friend auto operator<=>(const FigurePoint&, const FigurePoint&) = default;
};

// The figure's index among the paper's; the number of figures if there is none of that name.
std::size_t figure_named(const Paper& paper, std::string_view name);

// `few`: about a third of the points, for the short form. The lines are views into the paper.
std::vector<FigurePoint> figure_points(const Paper& paper, bool few);

// The point's settings, applied to the base scenario.
config::Overrides overrides_of(const Paper& paper, const FigurePoint& point);
// Removes the flows that are inactive in this point. Fails if the scenario has fewer flows than are measured.
dp::Status keep_flows(Scenario& scenario, const Paper& paper, const FigurePoint& point);
// Simulates one run, with the figures of the users' flows together. The loss is x, or the measured share of
// packets lost on wires.
RunFigures run_point(const Scenario& scenario, const Paper& paper, const FigurePoint& point,
                     std::uint64_t seed);

using FigureResults = std::map<FigurePoint, RowSummary>;  // without points that have no run

// The points of one line, by x.
std::vector<std::pair<double, RowSummary>> line_of(const FigureResults& results, std::size_t figure,
                                                   unsigned users, std::string_view line);

}  // namespace lab
