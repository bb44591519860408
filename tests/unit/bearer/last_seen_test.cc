#include "dataplane/bearer/last_seen.h"

#include <chrono>

#include <gtest/gtest.h>

namespace dp {
namespace {

using namespace std::chrono_literals;

constexpr Duration kStep = LastSeen::kStep;
// The stored time wraps after a year and two months; this is just behind.
constexpr Time kLate = time_ns((std::int64_t{1} << 55) + 3 * kStep.count());

TEST(LastSeen, IsNothingUntilSomethingCame) {
  LastSeen seen;
  EXPECT_FALSE(seen.ever());
  EXPECT_FALSE(seen.get(Time{} + 1h));
  seen.set(Time{});
  EXPECT_TRUE(seen.ever());
  EXPECT_EQ(seen.get(Time{} + 1h), Time{});
}

TEST(LastSeen, IsTheStepInWhichItCame) {
  for (const Time step : {Time{} + 5 * kStep, kLate}) {
    LastSeen seen;
    for (const Duration into : {Duration{0}, Duration{1}, kStep / 2, kStep - Duration{1}}) {
      seen.set(step + into);
      for (const Duration silence : {Duration{0}, kStep, Duration{1h}, Duration{24h * 365}}) {
        EXPECT_EQ(seen.get(step + into + silence), step);
      }
    }
  }
}

// Control looks at its clock, and the worker stamps a packet before control reads when that was.
TEST(LastSeen, MayLieAheadOfWhoReadsIt) {
  for (const Time step : {Time{} + std::chrono::hours(1), kLate}) {
    LastSeen seen;
    const Time came = step - step.time_since_epoch() % kStep + 2 * kStep;
    seen.set(came);
    for (const Duration before : {Duration{1}, kStep, 2 * kStep, Duration{1min}}) {
      EXPECT_EQ(seen.get(came - before), came);
    }
  }
}

}  // namespace
}  // namespace dp
