// The scenes of 001 section 6, simulated: each under all schemes, and what is read of the runs. Plain values;
// the results are the caller's.
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
  std::size_t scene = 0;  // among the paper's
  std::string_view line;  // the scheme, one of its lines
  friend auto operator<=>(const ScenePoint&, const ScenePoint&) = default;
};

// The paper's lines stay its own.
std::vector<ScenePoint> scene_points(const Paper& paper);

// What makes the base scenario this point's.
config::Overrides overrides_of(const Paper& paper, const ScenePoint& point);
// Leaves the flows of the scene's users, pages before downloads. An error names the flow that the scenario
// has not got, or not for that user alone.
dp::Status keep_flows(Scenario& scenario, const Scene& scene);

using SceneResults = std::map<ScenePoint, RowSummary>;  // points without a run are not there

// Of all these runs together. Sizes without a transfer are left out.
FigureCurve read_scene(const Scene& scene, SceneFigure figure, std::span<const RunFigures> runs);
// The same with the interval over runs.
std::vector<std::pair<double, Estimate>> estimate_scene(const Scene& scene, SceneFigure figure,
                                                        const RowSummary& row);

// Empty when it did not run.
FigureCurve scene_curve(const Paper& paper, const SceneResults& results, const FigureLineName& name);

}  // namespace lab
