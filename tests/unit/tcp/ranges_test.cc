#include "dataplane/tcp/ranges.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

using Pairs = std::vector<std::pair<Offset, Offset>>;

Pairs pairs(const RangeSet& set) {
  Pairs out;
  for (const Range& r : set.all()) out.emplace_back(r.left, r.right);
  return out;
}

TEST(RangeSet, JoinsWhatOverlapsOrTouches) {
  RangeSet set(8);
  EXPECT_TRUE(set.add(10, 20));
  EXPECT_TRUE(set.add(30, 40));
  EXPECT_TRUE(set.add(50, 60));
  EXPECT_EQ(pairs(set), (Pairs{{10, 20}, {30, 40}, {50, 60}}));
  EXPECT_TRUE(set.add(20, 30));
  EXPECT_EQ(pairs(set), (Pairs{{10, 40}, {50, 60}}));
  EXPECT_TRUE(set.add(5, 70));
  EXPECT_EQ(pairs(set), (Pairs{{5, 70}}));
  EXPECT_EQ(set.bytes(), 65);
}

TEST(RangeSet, WithoutRoomRefusesANewRangeButNotGrowth) {
  RangeSet set(2);
  EXPECT_TRUE(set.add(10, 20));
  EXPECT_TRUE(set.add(30, 40));
  EXPECT_FALSE(set.add(50, 60));
  EXPECT_EQ(set.bytes(), 20);
  EXPECT_TRUE(set.add(40, 50));
  EXPECT_EQ(pairs(set), (Pairs{{10, 20}, {30, 50}}));
}

TEST(RangeSet, CountsThePiecesOfARangeAndNoneTwice) {
  RangeSet set(4);
  set.add(10, 20);
  set.add(20, 30);
  set.add(12, 18);
  EXPECT_EQ(set.first().pieces, 2u);
  set.add(40, 50);
  set.add(30, 40);
  EXPECT_EQ(set.first().pieces, 4u);
}

// The order of the ages is what ACKs name their blocks by.
TEST(RangeSet, AgesKeepTheirOrderWhereTheyBeginAnew) {
  const auto by_age = [](const RangeSet& set) {
    std::vector<Range> ranges(set.all().begin(), set.all().end());
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.age < b.age; });
    std::vector<Offset> lefts;
    for (const Range& r : ranges) lefts.push_back(r.left);
    return lefts;
  };
  for (std::uint32_t before = 0; before < 40; ++before) {
    std::mt19937 rng(before);
    RangeSet plain(16), wraps(16, ~std::uint32_t{0} - before);
    for (int i = 0; i < 60; ++i) {
      const auto left = static_cast<Offset>(rng() % 60);
      ASSERT_EQ(plain.add(left, left + 1), wraps.add(left, left + 1));
      if (i % 20 == 19) plain.advance(left / 2), wraps.advance(left / 2);
      ASSERT_EQ(by_age(plain), by_age(wraps));
    }
    EXPECT_LT(wraps.last().age, 100u) << "it never wrapped";
  }
}

TEST(RangeSet, AgainstOneFlagAByteIsTheSameWhateverComes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 rng(seed);
    RangeSet set(64);
    std::vector<bool> model(200);
    Offset low = 0;
    for (int i = 0; i < 400; ++i) {
      const auto left = static_cast<Offset>(rng() % 190);
      const auto right = left + 1 + static_cast<Offset>(rng() % 9);
      if (left >= low) {
        ASSERT_TRUE(set.add(left, right));
        for (Offset b = left; b < right; ++b) model[static_cast<std::size_t>(b)] = true;
      }
      if (i % 40 == 39) {
        low += 15;
        set.advance(low);
        for (Offset b = 0; b < low; ++b) model[static_cast<std::size_t>(b)] = false;
      }
      Offset bytes = 0;
      for (Offset b = 0; b < 200; ++b) {
        bytes += model[static_cast<std::size_t>(b)];
        ASSERT_EQ(set.holding(b, b + 1) != nullptr, model[static_cast<std::size_t>(b)]) << b;
      }
      ASSERT_EQ(set.bytes(), bytes);
      for (std::size_t k = 1; k < set.size(); ++k) ASSERT_LT(set.all()[k - 1].right, set.all()[k].left);
    }
  }
}

}  // namespace
}  // namespace dp
