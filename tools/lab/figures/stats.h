// Statistics: means and intervals over runs that differ in their seed only, and percentiles over measurements
// on a shared machine, which disturbs some of them.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "dataplane/base/time.h"

namespace lab {

// The value of a figure that does not exist.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline double seconds(dp::Duration d) { return static_cast<double>(d.count()) / 1e9; }
inline double seconds(dp::Time t) { return seconds(t.time_since_epoch()); }

// A mean over runs, and half the width of its 90 % confidence interval (0 for a single run).
struct Estimate {
  double mean = 0;
  double ci90 = 0;
};

inline constexpr Estimate kNothing{kNaN, 0};

double mean(std::span<const double> values);                // 0 if empty
double standard_deviation(std::span<const double> values);  // of the sample (n - 1); 0 of fewer than two
                                                            // values
Estimate estimate(std::span<const double> values);

// The value that a Student-t variable with this many degrees of freedom exceeds with probability 1 - p.
// Requires: p from 0.5 to 0.9999, at least one degree.
double t_quantile(double p, unsigned degrees);

// The smallest value that at least `p` percent of the values do not exceed (nearest rank); 0 if there are
// none. Requires: p from 0 to 100.
double percentile(std::vector<double> values, double p);
// The middle value, or the mean of the two middle ones; 0 if there are none.
double median(std::vector<double> values);

// Jain's index of fairness: 1 if all are equal, 1/n if one has everything; 1 if all are 0.
double jain(std::span<const double> shares);

}  // namespace lab
