#include "tools/lab/figures/stats.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

// P(|T| < t). With a whole number of degrees the integral is a finite sum (Abramowitz and Stegun, 26.7.3 and
// 26.7.4), so no table and no special function is needed.
double within(double t, unsigned degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double c = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? c : 1, sum = 0;
  for (unsigned k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= c * c * (k - 1) / k;
  }
  if (!odd) return std::sin(angle) * sum;
  return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double v : values) squares += (v - middle) * (v - middle);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double t_quantile(double p, unsigned degrees) {
  DP_EXPECT(p >= 0.5 && p <= 0.9999 && degrees > 0);
  const double wanted = 2 * p - 1;
  double low = 0, high = 1;
  while (within(high, degrees) < wanted) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (within(middle, degrees) < wanted ? low : high) = middle;
  }
  return high;
}

Estimate estimate(std::span<const double> values) {
  if (values.size() < 2) return {mean(values), 0};
  const auto n = static_cast<unsigned>(values.size());
  return {mean(values), t_quantile(0.95, n - 1) * standard_deviation(values) / std::sqrt(n)};
}

double percentile(std::vector<double> values, double p) {
  DP_EXPECT(p >= 0 && p <= 100);
  if (values.empty()) return 0;
  const auto last = static_cast<double>(values.size());
  const double rank = std::clamp(std::ceil(p * last / 100), 1.0, last);
  const auto at = values.begin() + (static_cast<std::ptrdiff_t>(rank) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double jain(std::span<const double> shares) {
  double sum = 0, squares = 0;
  for (const double s : shares) {
    sum += s;
    squares += s * s;
  }
  return squares == 0 ? 1 : sum * sum / (squares * static_cast<double>(shares.size()));
}

}  // namespace lab
