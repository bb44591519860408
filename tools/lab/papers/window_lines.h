// The results of paper 001's figures as lines over numbers, and what can be read off them.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "tools/lab/papers/window_points.h"

namespace lab {

using FigureCurve = std::vector<std::pair<double, double>>;  // x, y; by x

// Between neighbours linearly; NaN outside.
double value_at(const FigureCurve& line, double x);
// Where a line comes from above 0 to below for the first time; NaN if nowhere.
double falls_below_zero(const FigureCurve& line);
// The lowest and the highest value of those from one x to another; NaN of none.
std::pair<double, double> range_of(const FigureCurve& line, double from, double to);

// kbit/s over the points' settings.
FigureCurve goodput_of(const WindowResults& results, WindowFigure figure, unsigned users,
                       std::string_view line);
// The same over drop-tail's, less one.
FigureCurve gain_of(const WindowResults& results, WindowFigure figure, unsigned users, std::string_view line);
// Round trips in s over kbit/s, along the buffers.
FigureCurve round_trip_of(const WindowResults& results, unsigned users, std::string_view line);
// kbit/s over the decadic logarithm of the measured congestion loss. Below 1e-5, where the paper's axis
// begins, the lowest of those with no more loss stands at 1e-5: the last before losses set in.
FigureCurve goodput_by_loss(const WindowResults& results, std::string_view line);

}  // namespace lab
