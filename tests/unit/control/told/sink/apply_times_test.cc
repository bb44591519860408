#include "control/told/sink/apply_times.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

TEST(ToldApplyTimes, ATimeIsInTheBucketOfItsBound) {
  ApplyTimes times;
  times.add(std::chrono::milliseconds(1));
  times.add(std::chrono::microseconds(1001));
  times.add(std::chrono::seconds(11));
  times.add(std::chrono::seconds(-1));
  EXPECT_EQ(times.buckets.front(), 2u);
  EXPECT_EQ(times.buckets[1], 1u);
  EXPECT_EQ(times.buckets.back(), 1u);
  EXPECT_EQ(times.count, 4u);
  EXPECT_NEAR(times.sum_s, 11.002001, 1e-9);
}

}  // namespace
}  // namespace control::told
