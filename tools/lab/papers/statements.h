// What a paper says of its figures, held against results: values are read off their lines. Plain functions.
#pragma once
#include <functional>
#include <vector>

#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/curves.h"
#include "tools/lab/papers/figure_points.h"

namespace lab {

// The curve of one line, without what it is held against; empty when it did not run.
using Curves = std::function<FigureCurve(const FigureLineName& name, Chart::Over over)>;

// Those that these curves can show; `brief`: without those for which the short form is too short.
std::vector<Claim> statement_claims(const Paper& paper, const Curves& curves, bool brief = false);
std::vector<Claim> statement_claims(const Paper& paper, const FigureResults& results, bool brief = false);

}  // namespace lab
