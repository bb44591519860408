#include "tools/lab/papers/window_lines.h"

#include <algorithm>
#include <cmath>

namespace lab {
double value_at(const FigureCurve& line, double x) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i].first == x) return line[i].second;
    if (i == 0 || line[i].first < x || line[i - 1].first > x) continue;
    const auto& [x0, y0] = line[i - 1];
    return y0 + (line[i].second - y0) * (x - x0) / (line[i].first - x0);
  }
  return kNaN;
}

double falls_below_zero(const FigureCurve& line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto& [x0, y0] = line[i - 1];
    const auto& [x1, y1] = line[i];
    if (y0 >= 0 && y1 < 0) return x0 + (x1 - x0) * y0 / (y0 - y1);
  }
  return kNaN;
}

std::pair<double, double> range_of(const FigureCurve& line, double from, double to) {
  std::pair<double, double> out{kNaN, kNaN};
  for (const auto& [x, y] : line) {
    if (x < from || x > to) continue;
    out.first = std::fmin(out.first, y);
    out.second = std::fmax(out.second, y);
  }
  return out;
}

FigureCurve goodput_of(const WindowResults& results, WindowFigure figure, unsigned users,
                       std::string_view line) {
  FigureCurve out;
  for (const auto& [x, s] : line_of(results, figure, users, line)) out.emplace_back(x, s.goodput().mean);
  return out;
}

FigureCurve gain_of(const WindowResults& results, WindowFigure figure, unsigned users,
                    std::string_view line) {
  const FigureCurve base = goodput_of(results, figure, users, "DT");
  FigureCurve out;
  for (const auto& [x, y] : goodput_of(results, figure, users, line)) {
    if (const double b = value_at(base, x); b > 0) out.emplace_back(x, y / b - 1);
  }
  return out;
}

FigureCurve round_trip_of(const WindowResults& results, unsigned users, std::string_view line) {
  FigureCurve out;
  for (const auto& [x, s] : line_of(results, WindowFigure::buffer, users, line)) {
    out.emplace_back(s.goodput().mean, s.of(&RunFigures::rtt).mean);
  }
  std::ranges::sort(out);
  return out;
}

FigureCurve goodput_by_loss(const WindowResults& results, std::string_view line) {
  constexpr double kLeast = 1e-5;
  FigureCurve out;
  double lossless = kNaN;
  for (const auto& [x, s] : line_of(results, WindowFigure::congestion, 1, line)) {
    if (s.of(&RunFigures::loss).mean > kLeast) {
      out.emplace_back(std::log10(s.of(&RunFigures::loss).mean), s.goodput().mean);
    } else {
      lossless = std::fmin(lossless, s.goodput().mean);
    }
  }
  if (!std::isnan(lossless)) out.emplace_back(std::log10(kLeast), lossless);
  std::ranges::sort(out);
  return out;
}

}  // namespace lab
