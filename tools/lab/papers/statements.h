// A paper's statements about its figures, judged on values read from our lines. Plain functions.
#pragma once
#include <functional>
#include <vector>

#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/curves.h"
#include "tools/lab/papers/figure_points.h"

namespace lab {

// The curve of one line, without its base; empty if it did not run.
using Curves = std::function<FigureCurve(const FigureLineName& name, Chart::Over over)>;

// The statements that these curves suffice to judge; `brief`: without those that the short form cannot judge.
std::vector<Claim> statement_claims(const Paper& paper, const Curves& curves, bool brief = false);
std::vector<Claim> statement_claims(const Paper& paper, const FigureResults& results, bool brief = false);

}  // namespace lab
