// A paper's rows as an experiment: its values beside ours, and judged claims.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

Experiment rows_experiment(const Paper& paper, std::vector<const PaperRow*> rows);

// Every paper with its rows, for --list.
std::string catalogue_text();

}  // namespace lab
