// The results of a paper's figures as curves, and functions that read values from them.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "tools/lab/papers/figure_points.h"

namespace lab {

using FigureCurve = std::vector<std::pair<double, double>>;  // x, y; by x

// Linear between neighbours; NaN outside the curve.
double value_at(const FigureCurve& curve, double x);
// The value of the point at x; NaN if there is none.
double point_at(const FigureCurve& curve, double x);
// The x of the first crossing from above 0 to below; NaN if there is none.
double falls_below_zero(const FigureCurve& curve);
// The values of the points from `from` to `to`.
std::vector<double> values_of(const FigureCurve& curve, double from, double to);

// The value over a point's runs.
Estimate value_of(const RowSummary& row, FigureValue value);

// A line over one of three axes: its value over x; s of round trip over kbit/s; or kbit/s over the decadic
// logarithm of the measured loss. Of the points with a loss below 1e-5, where the paper's axis begins, the
// lowest goes to 1e-5: the last before losses set in.
FigureCurve curve_of(const FigureResults& results, std::size_t figure, unsigned users, std::string_view line,
                     Chart::Over over = Chart::Over::x, FigureValue value = FigureValue::goodput);

}  // namespace lab
