// Whatever comes from either side, the split proxy keeps its books (tests/fuzz/split_check.h).
#include <random>

#include <gtest/gtest.h>

#include "tests/fuzz/split_check.h"
#include "tests/support/runs.h"

namespace dp::test {
namespace {

TEST(SplitGarbage, RandomSegmentsOfBothSidesLeaveTheBooksBalanced) {
  std::uint64_t acked = 0;
  for (std::uint32_t seed = 1; seed <= runs_of(2'000); ++seed) {
    std::mt19937 draw(seed);
    Buffer input;
    for (std::size_t i = 0, n = 20 + draw() % 1500; i < n; ++i) {
      input.push_back(i == 0 ? std::byte{0} : static_cast<std::byte>(draw() % (seed % 3 == 0 ? 256 : 160)));
    }
    SplitCheck check;
    for (Input rest(input); !rest.empty();) {
      const char* const fault = check.step(rest);
      ASSERT_EQ(fault, nullptr) << fault << ", seed " << seed;
    }
    const char* const fault = check.end();
    ASSERT_EQ(fault, nullptr) << fault << ", seed " << seed;
    acked += check.acked();
  }
  EXPECT_GT(acked, runs_of(1'000'000)) << "connections were split, and took data";
}

}  // namespace
}  // namespace dp::test
