// DP_EXPECT_HOT in a build that looks for faults; in this file alone, so that only expect.h may be included.
#undef DP_CHECKED
#define DP_CHECKED 2
#include <csignal>

#include <gtest/gtest.h>

#include "dataplane/base/expect.h"

namespace {

TEST(ExpectHot, EvaluatesTheConditionOnce) {
  int n = 0;
  DP_EXPECT_HOT(++n == 1);
  EXPECT_EQ(n, 1);
}

TEST(ExpectHotDeathTest, EndsTheProgram) {
  EXPECT_EXIT(DP_EXPECT_HOT(1 > 2), testing::KilledBySignal(SIGABRT), "does not hold: 1 > 2");
}

}  // namespace
