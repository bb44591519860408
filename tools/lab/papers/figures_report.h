// A paper's figures as an experiment: as tables and pictures, and its statements beside ours.
#pragma once
#include <optional>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

// `brief`: fewer points, a run of 300 s each; `seconds`: of a run, if not the scenario's.
Experiment figures_experiment(const Paper& paper, bool brief, std::optional<double> seconds);

}  // namespace lab
