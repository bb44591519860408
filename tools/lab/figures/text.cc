#include "tools/lab/figures/text.h"

#include <cmath>

#include <fmt/format.h>

namespace lab {

std::string text_of(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string text_of(const Estimate& estimate, int digits) {
  if (!std::isfinite(estimate.mean)) return "-";
  return text_of(estimate.mean, digits) + " ± " + text_of(estimate.ci90, digits);
}

std::string speed_text(double flow_seconds, double busy_s) {
  return fmt::format("{} flow-seconds in {} s of computing: {} flow-seconds a second on one core\n",
                     text_of(flow_seconds, 0), text_of(busy_s, 2), text_of(flow_seconds / busy_s, 0));
}

std::string partial_text(bool partial) {
  return partial ? "PARTIAL: interrupted; the figures are of the runs that were complete\n" : "";
}

}  // namespace lab
