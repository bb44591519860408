#include "dataplane/link/channel/markov.h"

#include <algorithm>
#include <numbers>

#include <math.h>  // j0

namespace dp {
namespace {

// P(good -> bad) of two Rayleigh samples with power threshold c (in mean powers) and correlation rho:
// Q(theta, rho theta) - Q(rho theta, theta), Marcum's Q. Its integrals of finite range (Simon) differ in one
// term only, which the map of the Poisson kernel turns into
//   1/pi * int_0^pi 1 - exp(-c (1 - rho^2) / (1 + rho^2 - 2 rho cos x)) dx.
// With e^v = tan(x/2) the integrand falls off exponentially on both sides and has no pole nearby: the
// trapezoid rule has nine digits at this step, for slow fading too.
double good_to_bad(double c, double rho) noexcept {
  constexpr double kStep = 0.25, kReach = 25;
  const double r = (1 - rho) / (1 + rho);
  if (r <= 0) return 0;  // the channel stands still
  double sum = 0;
  for (double v = std::log(r) - kReach; v < kReach; v += kStep) {
    const double s = std::exp(v), s2 = s * s;
    sum += -std::expm1(-c * (r * (1 + s2) / (r * r + s2))) * 2 * s / (1 + s2);
  }
  return std::min(sum * kStep / std::numbers::pi, 1.0);
}

}  // namespace

FadingRates fading_rates(double fer, double doppler) noexcept {
  if (fer <= 0) return {0, 1};
  const double to_bad = good_to_bad(-std::log1p(-fer), std::abs(j0(2 * std::numbers::pi * doppler)));
  // The stationary share of bad frames is fer.
  return {to_bad, std::min(to_bad * (1 - fer) / fer, 1.0)};
}

}  // namespace dp
