// The scenes of 001 section 6, simulated: each under all schemes, and figures of the runs. Plain values; the
// caller owns the results.
#pragma once
#include <compare>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load.h"
#include "dataplane/base/result.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/curves.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

struct ScenePoint {
  std::size_t scene = 0;  // index among the paper's scenes
  std::string_view line;  // the scheme, one of its lines
  friend auto operator<=>(const ScenePoint&, const ScenePoint&) = default;
};

// The lines are views into the paper.
std::vector<ScenePoint> scene_points(const Paper& paper);

// The point's settings, applied to the base scenario.
config::Overrides overrides_of(const Paper& paper, const ScenePoint& point);
// Keeps only the flows of the scene's users, pages before downloads. Fails if the scenario lacks a flow, or
// shares it between users; the error names it.
dp::Status keep_flows(Scenario& scenario, const Scene& scene);

using SceneResults = std::map<ScenePoint, RowSummary>;  // without points that have no run

// The figure over all these runs together, without sizes that have no transfer.
FigureCurve read_scene(const Scene& scene, SceneFigure figure, std::span<const RunFigures> runs);
// Like read_scene(), with the interval over runs.
std::vector<std::pair<double, Estimate>> estimate_scene(const Scene& scene, SceneFigure figure,
                                                        const RowSummary& row);

// Empty if it did not run.
FigureCurve scene_curve(const Paper& paper, const SceneResults& results, const FigureLineName& name);

}  // namespace lab
