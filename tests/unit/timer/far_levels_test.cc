#include "dataplane/timer/far_levels.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

TEST(FarLevels, ABucketIsAsWideAsAllOfTheLevelBelow) {
  FarLevels levels;
  const std::size_t first = levels.mark(1024, 0);
  EXPECT_EQ(levels.mark(2047, 0), first) << "the same bucket of the first level";
  EXPECT_EQ(levels.mark(2048, 0), first + 1);
  EXPECT_EQ(levels.mark(1u << 20, 0), first + 1024) << "the same digit, a level above";
  EXPECT_EQ(levels.mark((2u << 20) - 1, 0), first + 1024);
  EXPECT_EQ(levels.mark((1u << 20) + 1024, 1u << 20), first) << "it is the cursor's difference that counts";
}

TEST(FarLevels, TheFirstBucketIsTheOneWhoseTicksComeFirst) {
  Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    FarLevels levels;
    EXPECT_TRUE(levels.none());
    EXPECT_EQ(levels.first_tick(0), FarLevels::kNoTick);
    const std::uint64_t cursor = rng.next() >> (10 + rng.next() % 50);
    std::map<std::uint64_t, std::size_t> bucket_of;  // by tick
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t tick = cursor + 1024 + (rng.next() >> (11 + rng.next() % 50));
      bucket_of[tick] = levels.mark(tick, cursor);
    }
    // From the earliest tick to the last, each bucket in its turn, until none is left.
    std::uint64_t before = cursor;
    while (!levels.none()) {
      ASSERT_FALSE(bucket_of.empty());
      const auto [tick, bucket] = *bucket_of.begin();
      EXPECT_EQ(levels.first(), bucket);
      EXPECT_GT(levels.first_tick(cursor), before);
      EXPECT_LE(levels.first_tick(cursor), tick);
      before = levels.first_tick(cursor);
      levels.unmark(bucket);
      std::erase_if(bucket_of, [b = bucket](const auto& one) { return one.second == b; });
    }
    EXPECT_TRUE(bucket_of.empty());
    EXPECT_EQ(levels.first_tick(cursor), FarLevels::kNoTick);
  }
}

}  // namespace
}  // namespace dp
