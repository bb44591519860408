// Figures out of many measurements: a shared machine disturbs some of them, so percentiles, never means.
#pragma once
#include <vector>

namespace bench {

// The smallest value that at least `p` percent of the values do not exceed (nearest rank); 0 of none.
double percentile(std::vector<double> values, double p);

// Middle value; the mean of the two middle ones when their number is even; 0 of none.
double median(std::vector<double> values);

}  // namespace bench
