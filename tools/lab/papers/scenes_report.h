// A paper's scenes as an experiment: responses by size and shares of the slots as tables and pictures, and
// its statements beside ours.
#pragma once
#include <optional>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

// `brief`: two runs of 1000 s each, and those statements for which that is long enough; `seconds`: of a run,
// if not the scenario's.
Experiment scenes_experiment(const Paper& paper, bool brief, std::optional<double> seconds);

}  // namespace lab
