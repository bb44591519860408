#include "dataplane/flow/sacked.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(SackedRanges, CountsBytesOnceHoweverRangesOverlapOrTouch) {
  SackedRanges ranges;
  EXPECT_TRUE(ranges.empty());
  ranges.add(100, 200);
  ranges.add(300, 400);
  EXPECT_EQ(ranges.bytes(), 200);
  ranges.add(150, 250);
  EXPECT_EQ(ranges.bytes(), 250);
  ranges.add(250, 300);
  EXPECT_EQ(ranges.bytes(), 300);
  ranges.add(120, 130);
  EXPECT_EQ(ranges.bytes(), 300);
  ranges.add(130, 120);
  EXPECT_EQ(ranges.bytes(), 300) << "nothing from right to left";
}

TEST(SackedRanges, ForgetsWhatTheCumulativeAckCovers) {
  SackedRanges ranges;
  ranges.add(100, 200);
  ranges.add(300, 400);
  ranges.advance(50);
  EXPECT_EQ(ranges.bytes(), 200);
  ranges.advance(150);
  EXPECT_EQ(ranges.bytes(), 150);
  ranges.advance(350);
  EXPECT_EQ(ranges.bytes(), 50);
  ranges.advance(1000);
  EXPECT_TRUE(ranges.empty());
  EXPECT_EQ(ranges.bytes(), 0);
}

TEST(SackedRanges, ForgetsTheLowestWhenThereIsNoRoom) {
  SackedRanges ranges;
  for (Offset i = 0; i < 9; ++i) ranges.add(100 * i + 1, 100 * i + 11 + i);
  EXPECT_EQ(ranges.bytes(), 8 * 10 + 36) << "the first, of ten bytes, has gone";
  ranges.clear();
  EXPECT_TRUE(ranges.empty());
  EXPECT_EQ(ranges.bytes(), 0);
}

// While ranges fit, they agree with a set of every byte.
TEST(SackedRanges, AgreesWithASetOfBytes) {
  std::mt19937 rng(7);
  for (int run = 0; run < 300; ++run) {
    SackedRanges ranges;
    std::set<Offset> bytes;
    Offset acked = 0;
    for (int step = 0; step < 40; ++step) {
      if (rng() % 6 == 0) {
        acked += rng() % 20;
        ranges.advance(acked);
        bytes.erase(bytes.begin(), bytes.lower_bound(acked));
      } else {
        const Offset left = acked + rng() % 30;  // so few places that there are never nine ranges
        const Offset right = left + rng() % 12;
        ranges.add(left / 4 * 4, right / 4 * 4);
        for (Offset b = left / 4 * 4; b < right / 4 * 4; ++b) bytes.insert(b);
        ranges.advance(acked);
        bytes.erase(bytes.begin(), bytes.lower_bound(acked));
      }
      ASSERT_EQ(ranges.bytes(), static_cast<Offset>(bytes.size())) << "run " << run << " step " << step;
      ASSERT_EQ(ranges.empty(), bytes.empty());
    }
  }
}

}  // namespace
}  // namespace dp
