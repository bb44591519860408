// Figures as rnclab's tables print them.
#pragma once
#include <string>

#include "tools/lab/figures/stats.h"

namespace lab {

std::string text_of(double value, int digits);              // "-" when there is none
std::string text_of(const Estimate& estimate, int digits);  // "281.9 ± 8.9"

// "1200 flow-seconds in 0.1 s of computing: 12000 a second on one core", as a line
std::string speed_text(double flow_seconds, double busy_s);
std::string partial_text(bool partial);  // a line when it was interrupted, else nothing

}  // namespace lab
