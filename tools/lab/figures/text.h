// Text of figures in rnclab's tables.
#pragma once
#include <string>

#include "tools/lab/figures/stats.h"

namespace lab {

std::string text_of(double value, int digits);              // "-" for NaN
std::string text_of(const Estimate& estimate, int digits);  // "281.9 ± 8.9"

// A line "1200 flow-seconds in 0.1 s of computing: 12000 a second on one core".
std::string speed_text(double flow_seconds, double busy_s);
std::string partial_text(bool partial);  // a line if interrupted, else empty

}  // namespace lab
