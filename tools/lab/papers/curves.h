// The results of a paper's figures as lines over numbers, and what can be read off them.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "tools/lab/papers/figure_points.h"

namespace lab {

using FigureCurve = std::vector<std::pair<double, double>>;  // x, y; by x

// Between neighbours linearly; NaN outside.
double value_at(const FigureCurve& curve, double x);
// Of the point itself; NaN where there is none.
double point_at(const FigureCurve& curve, double x);
// Where it comes from above 0 to below for the first time; NaN if nowhere.
double falls_below_zero(const FigureCurve& curve);
// The values of those from one x to another.
std::vector<double> values_of(const FigureCurve& curve, double from, double to);

// Of a point's runs.
Estimate value_of(const RowSummary& row, FigureValue value);

// What a line is read along: its value over x; s of round trip over kbit/s; or kbit/s over the decadic
// logarithm of the measured loss. Below 1e-5, where the paper's axis begins, the lowest of those with no more
// loss stands at 1e-5: the last before losses set in.
FigureCurve curve_of(const FigureResults& results, std::size_t figure, unsigned users, std::string_view line,
                     Chart::Over over = Chart::Over::x, FigureValue value = FigureValue::goodput);

}  // namespace lab
