// The profile `low-delay` beside Linux's qdiscs on the same path, as an experiment.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/papers/experiment.h"
#include "tools/lab/papers/linux_rows.h"

namespace lab {

Experiment linux_experiment(const Paper& linux, const std::vector<const PaperRow*>& rows);

// The qdiscs and our rows, for --list.
std::string linux_list_text(const Paper& linux);

}  // namespace lab
