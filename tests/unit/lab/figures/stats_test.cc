#include "tools/lab/figures/stats.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(TQuantile, OfTheNinetyFifthPercentileIsWhatTheTablesPrint) {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
  const std::array<std::pair<unsigned, double>, 10> printed{{{1, 6.314},
                                                             {2, 2.920},
                                                             {3, 2.353},
                                                             {4, 2.132},
                                                             {9, 1.833},
                                                             {10, 1.812},
                                                             {19, 1.729},
                                                             {20, 1.725},
                                                             {30, 1.697},
                                                             {100, 1.660}}};
  for (const auto& [degrees, value] : printed) EXPECT_NEAR(t_quantile(0.95, degrees), value, 5e-4) << degrees;
}

TEST(TQuantile, OfOtherPercentilesIsWhatTheTablesPrint) {
  EXPECT_NEAR(t_quantile(0.975, 5), 2.571, 5e-4);
  EXPECT_NEAR(t_quantile(0.999, 2), 22.327, 5e-3);
  EXPECT_NEAR(t_quantile(0.5, 7), 0, 1e-9);
}

TEST(TQuantile, WithManyDegreesIsThatOfTheNormalDistribution) {
  EXPECT_NEAR(t_quantile(0.95, 100'000), 1.64487, 1e-4);
}

TEST(Estimate, OfFiveValuesHasMeanAndHalfIntervalByHand) {
  const std::array values{2.0, 4.0, 4.0, 4.0, 6.0};
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(2.0));
  const Estimate e = estimate(values);
  EXPECT_DOUBLE_EQ(e.mean, 4);
  EXPECT_NEAR(e.ci90, 2.131847 * std::sqrt(2.0) / std::sqrt(5.0), 1e-5);
}

TEST(Estimate, OfOneValueHasNoInterval) {
  const std::array values{3.0};
  EXPECT_DOUBLE_EQ(estimate(values).mean, 3);
  EXPECT_DOUBLE_EQ(estimate(values).ci90, 0);
}

TEST(Estimate, OfNothingIsZero) { EXPECT_DOUBLE_EQ(estimate({}).mean, 0); }

TEST(Jain, OfEqualSharesIsOneOfASingleTakerOneNth) {
  EXPECT_DOUBLE_EQ(jain(std::array{5.0, 5.0, 5.0}), 1);
  EXPECT_DOUBLE_EQ(jain(std::array{8.0, 0.0, 0.0, 0.0}), 0.25);
  EXPECT_NEAR(jain(std::array{1.0, 3.0}), 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(jain(std::array{0.0, 0.0}), 1);
}

TEST(Percentile, OfValuesInAnyOrderIsTheNearestRank) {
  EXPECT_EQ(percentile({5, 1, 4, 2, 3}, 50), 3);
  EXPECT_EQ(percentile({40, 10, 30, 20}, 50), 20);
  EXPECT_EQ(percentile({10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 10), 1);
  EXPECT_EQ(percentile({11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 10), 2);
}

TEST(Percentile, AtTheEndsIsTheLeastAndTheGreatestValue) {
  EXPECT_EQ(percentile({3, 1, 2}, 0), 1);
  EXPECT_EQ(percentile({3, 1, 2}, 100), 3);
}

TEST(Percentile, OfOneValueIsThatValue) { EXPECT_EQ(percentile({7}, 10), 7); }

TEST(Percentile, OfNothingIsZero) { EXPECT_EQ(percentile({}, 50), 0); }

TEST(Median, OfAnOddNumberOfValuesIsTheMiddleOne) { EXPECT_EQ(median({9, 1, 5}), 5); }

TEST(Median, OfAnEvenNumberOfValuesIsTheMeanOfTheMiddleTwo) { EXPECT_EQ(median({1, 2, 4, 100}), 3); }

TEST(Median, OfNothingIsZero) { EXPECT_EQ(median({}), 0); }

}  // namespace
}  // namespace lab
