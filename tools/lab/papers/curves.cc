#include "tools/lab/papers/curves.h"

#include <algorithm>
#include <cmath>

namespace lab {

double value_at(const FigureCurve& curve, double x) {
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].first == x) return curve[i].second;
    if (i == 0 || curve[i].first < x || curve[i - 1].first > x) continue;
    const auto& [x0, y0] = curve[i - 1];
    return y0 + (curve[i].second - y0) * (x - x0) / (curve[i].first - x0);
  }
  return kNaN;
}

double point_at(const FigureCurve& curve, double x) {
  const auto at = std::ranges::find(curve, x, [](const auto& point) { return point.first; });
  return at == curve.end() ? kNaN : at->second;
}

double falls_below_zero(const FigureCurve& curve) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const auto& [x0, y0] = curve[i - 1];
    const auto& [x1, y1] = curve[i];
    if (y0 >= 0 && y1 < 0) return x0 + (x1 - x0) * y0 / (y0 - y1);
  }
  return kNaN;
}

std::vector<double> values_of(const FigureCurve& curve, double from, double to) {
  std::vector<double> out;
  for (const auto& [x, y] : curve) {
    if (from <= x && x <= to) out.push_back(y);
  }
  return out;
}

Estimate value_of(const RowSummary& row, FigureValue value) {
  switch (value) {
    case FigureValue::throughput:
      return row.of(&RunFigures::throughput);
    case FigureValue::fairness:
      return row.of(&RunFigures::jain);
    case FigureValue::buffer_use:
      return row.of(&RunFigures::buffer_use);
    case FigureValue::file_rate:
      return row.of(&RunFigures::file_rate);
    case FigureValue::goodput:
      break;
  }
  return row.goodput();
}

FigureCurve curve_of(const FigureResults& results, std::size_t figure, unsigned users, std::string_view line,
                     Chart::Over over, FigureValue value) {
  constexpr double kLeast = 1e-5;
  FigureCurve out;
  double lossless = kNaN;
  for (const auto& [x, s] : line_of(results, figure, users, line)) {
    const double goodput = s.goodput().mean, loss = s.of(&RunFigures::loss).mean;
    if (over == Chart::Over::x) {
      out.emplace_back(x, value_of(s, value).mean);
    } else if (over == Chart::Over::round_trip) {
      out.emplace_back(goodput, s.of(&RunFigures::rtt).mean);
    } else if (loss > kLeast) {
      out.emplace_back(std::log10(loss), goodput);
    } else {
      lossless = std::fmin(lossless, goodput);
    }
  }
  if (!std::isnan(lossless)) out.emplace_back(std::log10(kLeast), lossless);
  std::ranges::sort(out);
  return out;
}

}  // namespace lab
