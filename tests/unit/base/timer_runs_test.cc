#include "dataplane/base/timer_runs.h"

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

// Timers are numbers here: they are never read.
using Numbers = std::vector<int>;

class TimerRunsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kBuckets = 16;
  void add(std::size_t bucket, const Numbers& timers) {
    runs.add(bucket, timers.size(),
             [&](std::size_t i) { return &marks.at(static_cast<std::size_t>(timers[i])); });
  }
  Numbers take(std::size_t bucket, std::uint32_t most = 100) {
    Numbers out;
    runs.take(bucket, most, [&](const void* timer) {
      out.push_back(static_cast<int>(static_cast<const char*>(timer) - marks.data()));
    });
    return out;
  }
  std::array<char, 100> marks{};
  TimerRuns runs{kBuckets};
};

TEST_F(TimerRunsTest, KnowsThoseOfOneBurst) {
  add(3, {1, 2, 3});
  add(5, {4, 5});
  EXPECT_EQ(take(3), (Numbers{1, 2, 3}));
  EXPECT_EQ(take(5), (Numbers{4, 5}));
  EXPECT_EQ(take(3), Numbers{});
}

TEST_F(TimerRunsTest, ABurstGoesOnInTheNextCall) {
  add(3, {1, 2});
  add(3, {3});
  add(3, {4, 5});
  EXPECT_EQ(take(3), (Numbers{1, 2, 3, 4, 5}));
}

TEST_F(TimerRunsTest, OneAloneIsNotRemembered) {
  add(3, {1});
  EXPECT_EQ(take(3), Numbers{});
  add(3, {2});
  add(3, {3, 4});
  EXPECT_EQ(take(3), (Numbers{3, 4}));
}

TEST_F(TimerRunsTest, KnowsTheLastBurstOfABucket) {
  add(3, {1, 2});
  add(5, {3, 4});
  add(3, {5, 6});
  EXPECT_EQ(take(3), (Numbers{5, 6}));
  EXPECT_EQ(take(5), (Numbers{3, 4}));
}

TEST_F(TimerRunsTest, ABucketThatWasTakenBeginsAnew) {
  add(3, {1, 2});
  EXPECT_EQ(take(3), (Numbers{1, 2}));
  add(3, {3, 4});
  EXPECT_EQ(take(3), (Numbers{3, 4}));
}

TEST_F(TimerRunsTest, NamesNoMoreThanAskedFor) {
  add(3, {1, 2, 3, 4});
  EXPECT_EQ(take(3, 2), (Numbers{1, 2}));
}

// What is forgotten costs time, and nothing else: the log is as long as there are buckets.
TEST_F(TimerRunsTest, TheLogGoesRound) {
  for (int round = 0; round < 50; ++round) {
    add(3, {1, 2, 3});
    EXPECT_EQ(take(3), (Numbers{1, 2, 3})) << round;
  }
}

}  // namespace
}  // namespace dp
