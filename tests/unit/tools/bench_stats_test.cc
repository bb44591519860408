#include <gtest/gtest.h>

#include "tools/bench/stats.h"

namespace bench {
namespace {

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
}  // namespace bench
