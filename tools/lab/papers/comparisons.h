// A paper's comparisons of one scheme with another, judged on results. Part of claims.h; other code uses
// that.
#pragma once
#include <span>
#include <vector>

#include "tools/lab/papers/claims.h"

namespace lab {

// Adds the comparisons whose rows have all run.
void add_comparisons(std::vector<Claim>& out, const Paper& paper, std::span<const PaperRow* const> rows,
                     const Results& results);

}  // namespace lab
