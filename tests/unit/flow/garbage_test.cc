#include <random>

#include <gtest/gtest.h>

#include "tests/fuzz/flow_check.h"

namespace dp {
namespace {

TEST(FlowTracking, HoldsItsRulesWhateverSegmentsCome) {
  std::mt19937 rng(11);
  for (int run = 0; run < 3'000; ++run) {
    test::Buffer bytes(1 + rng() % 400);
    for (std::byte& b : bytes) b = static_cast<std::byte>(rng());
    const char* const fault = test::flow_fault(bytes);
    ASSERT_EQ(fault, nullptr) << fault << " in run " << run;
  }
}

}  // namespace
}  // namespace dp
