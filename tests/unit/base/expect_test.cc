#include "dataplane/base/expect.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

int half_of(int n) noexcept {
  DP_EXPECT(n % 2 == 0);
  return n / 2;
}

template <int kA, int kB>
constexpr bool are_equal() {
  return kA == kB;
}

TEST(Expect, LetsPassWhatHolds) { EXPECT_EQ(half_of(4), 2); }

TEST(Expect, EvaluatesTheConditionOnce) {
  int n = 0;
  DP_EXPECT(++n == 1);
  EXPECT_EQ(n, 1);
}

TEST(Expect, TakesConditionsWithCommas) { DP_EXPECT(are_equal<1, 1>()); }

TEST(Expect, IsAllowedInConstantExpressions) {
  constexpr int kDoubled = [](int n) {
    DP_EXPECT(n > 0);
    return 2 * n;
  }(3);
  EXPECT_EQ(kDoubled, 6);
}

TEST(ExpectDeathTest, EndsTheProgramAndSaysWhatAndWhere) {
  EXPECT_EXIT(half_of(3), testing::KilledBySignal(SIGABRT),
              "^[^\n]*tests/unit/base/expect_test.cc:[0-9]+: required, and does not hold: n % 2 == 0\n$");
}

}  // namespace
}  // namespace dp
