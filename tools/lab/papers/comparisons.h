// A paper's statements about how one scheme does beside another, held against results. Part of claims.h,
// which everybody else uses.
#pragma once
#include <span>
#include <vector>

#include "tools/lab/papers/claims.h"

namespace lab {

// Those whose rows have all been run.
void add_comparisons(std::vector<Claim>& out, const Paper& paper, std::span<const PaperRow* const> rows,
                     const Results& results);

}  // namespace lab
