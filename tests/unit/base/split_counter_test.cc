#include "dataplane/base/split_counter.h"

#include <atomic>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

namespace dp {
namespace {

constexpr std::uint32_t kHighest = std::uint32_t{1} << 31;

TEST(SplitCounter, CountsBeyondItsLowerHalf) {
  SmallCounter low, changes;
  std::uint64_t sum = 0;
  for (std::uint32_t n : {1u, kHighest - 2, 1u, 7u, kHighest - 1, kHighest - 1, 65'535u, kHighest - 1}) {
    SplitCounter::add(low, changes, n);
    sum += n;
    EXPECT_EQ(SplitCounter::get(low, changes), sum);
  }
  EXPECT_GT(sum, std::uint64_t{1} << 32);
}

TEST(SplitCounter, IsReadRightlyBetweenAChangeAndItsCount) {
  for (std::uint32_t counted : {0u, 1u, 2u, 7u}) {
    const std::uint64_t before = std::uint64_t{counted} * kHighest + (kHighest - 5);
    SmallCounter low, changes;
    changes.set(counted);
    low.set(static_cast<std::uint32_t>(before));
    EXPECT_EQ(SplitCounter::get(low, changes), before);
    low.set(static_cast<std::uint32_t>(before + 10));  // a state that add() passes through
    EXPECT_EQ(SplitCounter::get(low, changes), before + 10);
  }
}

TEST(SplitCounter, NeverGoesBackForAReaderBesideTheWriter) {
  SmallCounter low, changes;
  std::atomic<bool> done = false;
  constexpr std::uint32_t kStep = (std::uint32_t{1} << 27) + 12'345;
  constexpr std::uint64_t kSteps = 400'000;
  std::jthread writer([&] {
    for (std::uint64_t i = 0; i < kSteps; ++i) SplitCounter::add(low, changes, kStep);
    done = true;
  });
  std::uint64_t last = 0;
  for (bool more = true; more;) {
    more = !done;
    const std::uint64_t now = SplitCounter::get(low, changes);
    ASSERT_GE(now, last);
    ASSERT_LE(now, kSteps * kStep);
    last = now;
  }
  EXPECT_EQ(last, kSteps * kStep);
}

}  // namespace
}  // namespace dp
