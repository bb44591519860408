// DP_EXPECT in a build without checks; in this file alone, so that only expect.h may be included.
#undef DP_CHECKED
#include <type_traits>

#include <gtest/gtest.h>

#include "dataplane/base/expect.h"

namespace {

TEST(ExpectOff, EvaluatesNothing) {
  int n = 0;
  DP_EXPECT(++n == 7);
  DP_EXPECT_HOT(++n == 7);
  EXPECT_EQ(n, 0);
}

TEST(ExpectOff, StillCompilesTheCondition) {
  const bool held = false;  // used by nothing else, which is no warning
  DP_EXPECT(held);
}

TEST(ExpectOff, IsAnExpressionOfNoType) { static_assert(std::is_void_v<decltype(DP_EXPECT(true))>); }

}  // namespace
