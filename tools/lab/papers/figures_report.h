// A paper's figures as an experiment: tables, pictures and judged statements.
#pragma once
#include <optional>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

// `brief`: fewer points, runs of 300 s; `seconds`: duration of a run, instead of the scenario's.
Experiment figures_experiment(const Paper& paper, bool brief, std::optional<double> seconds);

}  // namespace lab
