// A paper's scenes as an experiment: responses by size and shares of the slots as tables and pictures, and
// its statements beside our results.
#pragma once
#include <optional>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

// `brief`: two runs of 1000 s each, and only the statements that can be judged by them; `seconds`: duration
// of a run, instead of the scenario's.
Experiment scenes_experiment(const Paper& paper, bool brief, std::optional<double> seconds);

}  // namespace lab
