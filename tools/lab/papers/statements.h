// What a paper says of its figures, held against results: values are read off their lines. Plain functions.
#pragma once
#include <vector>

#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/figure_points.h"

namespace lab {

// Those that these points can show.
std::vector<Claim> statement_claims(const Paper& paper, const FigureResults& results);

}  // namespace lab
