// Whatever befalls the connections through a bearer, the box keeps its rules
// (tests/fuzz/connections_check.h).
#include <random>

#include <gtest/gtest.h>

#include "tests/fuzz/connections_check.h"
#include "tests/support/runs.h"

namespace dp::test {
namespace {

// A third of the inputs forges nothing, so that its connections have to be carried to their end.
Buffer random_input(std::uint32_t seed) {
  std::mt19937 draw(seed);
  Buffer input;
  for (std::size_t i = 0, n = 8 + draw() % 200; i < n; ++i) {
    unsigned octet = draw() % 256;
    const bool forges = (octet & 15) >= 7 && (octet & 15) <= 9;
    if (i > 5 && seed % 3 == 0 && forges) octet &= 0xf0;
    input.push_back(static_cast<std::byte>(octet));
  }
  return input;
}

TEST(Connections, ThatAreLostForgedAndReconfiguredLeaveTheBooksBalancedAndNothingBehind) {
  unsigned carried = 0;
  for (std::uint32_t seed = 1; seed <= runs_of(600); ++seed) {
    const Buffer bytes = random_input(seed);
    Input input(bytes);
    ConnectionsCheck check(input);
    while (!input.empty()) {
      const char* const fault = check.step(input);
      ASSERT_EQ(fault, nullptr) << fault << ", seed " << seed;
    }
    const char* const fault = check.end();
    ASSERT_EQ(fault, nullptr) << fault << ", seed " << seed;
    carried += check.carried();
  }
  EXPECT_GT(carried, runs_of(200)) << "connections that nobody forged";
}

}  // namespace
}  // namespace dp::test
