#include "tools/lab/figures/text.h"

#include <cmath>
#include <cstdio>

namespace lab {

std::string text_of(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

std::string text_of(const Estimate& estimate, int digits) {
  if (!std::isfinite(estimate.mean)) return "-";
  return text_of(estimate.mean, digits) + " ± " + text_of(estimate.ci90, digits);
}

std::string speed_text(double flow_seconds, double busy_s) {
  return text_of(flow_seconds, 0) + " flow-seconds in " + text_of(busy_s, 2) +
         " s of computing: " + text_of(flow_seconds / busy_s, 0) + " flow-seconds a second on one core\n";
}

std::string partial_text(bool partial) {
  return partial ? "PARTIAL: interrupted; the figures are of the runs that were complete\n" : "";
}

}  // namespace lab
