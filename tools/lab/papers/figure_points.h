// A paper's figures, simulated: each as points, which are one scenario under different settings, and what
// comes of a point. Plain values; the results are the caller's.
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
  std::size_t figure = 0;  // among the paper's
  unsigned users = 1;
  std::string_view line;
  double x = 0;
  friend auto operator<=>(const FigurePoint&, const FigurePoint&) = default;
};

// Where the figure stands among the paper's; behind the last: there is none of that name.
std::size_t figure_named(const Paper& paper, std::string_view name);

// `few`: about a third, for a first look. The paper's lines stay its own.
std::vector<FigurePoint> figure_points(const Paper& paper, bool few);

// What makes the base scenario this point's.
config::Overrides overrides_of(const Paper& paper, const FigurePoint& point);
// Leaves the flows that are on. An error says that the scenario has fewer than are measured.
dp::Status keep_flows(Scenario& scenario, const Paper& paper, const FigurePoint& point);
// One run: the users' flows together. The loss is x, or the share of their packets that was lost on wires.
RunFigures run_point(const Scenario& scenario, const Paper& paper, const FigurePoint& point,
                     std::uint64_t seed);

using FigureResults = std::map<FigurePoint, RowSummary>;  // points without a run are not there

// The points of one line, by x.
std::vector<std::pair<double, RowSummary>> line_of(const FigureResults& results, std::size_t figure,
                                                   unsigned users, std::string_view line);

}  // namespace lab
