// Paper 001 section 5 as an experiment: its figures as tables and pictures, and its statements beside ours.
#pragma once
#include <optional>
#include <vector>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/experiment.h"
#include "tools/lab/papers/window_points.h"

namespace lab {

// The paper's statements C1 to C8 that these points can show.
std::vector<Claim> window_claims(const WindowResults& results);

// `brief`: fewer points, a run of 300 s each; `seconds`: of a run, if not the scenario's.
Experiment window_experiment(const Paper& paper, bool brief, std::optional<double> seconds);

}  // namespace lab
