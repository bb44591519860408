#include "dataplane/tcp/scoreboard.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dp {
namespace {

constexpr std::uint32_t kSegment = 10;

// RFC 6675 section 4, byte by byte as it is written.
struct Literal {
  std::vector<bool> sacked = std::vector<bool>(500);
  Offset una, max, high_rxt;

  bool is_lost(Offset seq) const {
    int runs = 0;
    Offset bytes = 0;
    for (Offset b = seq + 1; b < max; ++b) {
      const auto i = static_cast<std::size_t>(b);
      bytes += sacked[i];
      runs += sacked[i] && (!sacked[i - 1] || b == seq + 1);
    }
    return runs >= 3 || bytes > 2 * Offset{kSegment};
  }
  Offset pipe() const {
    Offset pipe = 0;
    for (Offset b = una; b < max; ++b) {
      if (sacked[static_cast<std::size_t>(b)]) continue;
      pipe += !is_lost(b);
      pipe += b < high_rxt;
    }
    return pipe;
  }
  Offset next_seg(bool sure) const {
    Offset highest = 0;
    for (Offset b = una; b < max; ++b) highest = sacked[static_cast<std::size_t>(b)] ? b : highest;
    for (Offset b = std::max(una, high_rxt); b < highest; ++b) {
      if (!sacked[static_cast<std::size_t>(b)] && (!sure || is_lost(b))) return b;
    }
    return -1;
  }
};

TEST(SackScoreboard, TakesAByteForLostBelowThreeRuns) {
  SackScoreboard board(16, 3);
  board.add(20, 21, 0, 100);
  board.add(30, 31, 0, 100);
  EXPECT_FALSE(board.first_lost(0, kSegment));
  board.add(40, 41, 0, 100);
  EXPECT_TRUE(board.first_lost(0, kSegment));
}

TEST(SackScoreboard, TakesAByteForLostBelowMoreThanTwoSegments) {
  SackScoreboard board(16, 3);
  board.add(10, 30, 0, 100);
  EXPECT_FALSE(board.first_lost(0, kSegment));
  board.add(30, 31, 0, 100);
  EXPECT_TRUE(board.first_lost(0, kSegment));
}

TEST(SackScoreboard, CallsNoNewsWhatItKnowsAndWhatCannotBe) {
  SackScoreboard board(16, 3);
  EXPECT_TRUE(board.add(20, 40, 10, 100));
  EXPECT_FALSE(board.add(20, 40, 10, 100));
  EXPECT_FALSE(board.add(25, 30, 10, 100));
  EXPECT_FALSE(board.add(5, 15, 10, 100));
  EXPECT_FALSE(board.add(90, 101, 10, 100));
  EXPECT_FALSE(board.add(30, 30, 10, 100));
  EXPECT_TRUE(board.add(20, 41, 10, 100));
}

TEST(SackScoreboard, AgainstTheRfcReadLiterallySaysTheSameWhateverComes) {
  for (unsigned seed = 0; seed < test::runs_of(300); ++seed) {
    std::mt19937 rng(seed);
    SackScoreboard board(64, 3);
    Literal rfc{
        .una = static_cast<Offset>(rng() % 50), .max = static_cast<Offset>(200 + rng() % 300), .high_rxt = 0};
    for (int i = 0; i < 12; ++i) {
      const Offset left = rfc.una + 1 + static_cast<Offset>(rng() % 150);
      const Offset right = std::min<Offset>(left + 1 + static_cast<Offset>(rng() % 25), rfc.max);
      board.add(left, right, rfc.una, rfc.max);
      for (Offset b = left; b < right; ++b) rfc.sacked[static_cast<std::size_t>(b)] = true;
      if (i == 6) {
        rfc.high_rxt = rfc.una + kSegment;
        board.begin(rfc.high_rxt);
      }
      ASSERT_EQ(board.pipe(rfc.una, rfc.max, kSegment), rfc.pipe()) << seed << "/" << i;
      ASSERT_EQ(board.first_lost(rfc.una, kSegment), rfc.is_lost(rfc.una)) << seed << "/" << i;
      for (const bool sure : {true, false}) {
        const auto hole = board.hole(rfc.una, kSegment, sure);
        ASSERT_EQ(hole ? hole->left : -1, rfc.next_seg(sure)) << seed << "/" << i << sure;
        if (hole && sure && i > 6 && i % 2 == 0) {
          rfc.high_rxt = hole->right;
          board.retransmitted(hole->right);
          break;
        }
      }
    }
  }
}

TEST(SackScoreboard, RescuesTheLastUnsackedSegmentOncePerRecovery) {
  SackScoreboard board(16, 3);
  board.add(20, 60, 0, 100);
  board.begin(10);
  const auto segment = board.rescue(0, 100, kSegment);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->left, 90);
  EXPECT_EQ(segment->right, 100);
  board.rescued(100);
  EXPECT_FALSE(board.rescue(0, 100, kSegment));
  EXPECT_FALSE(board.rescue(99, 100, kSegment));
  board.begin(110);
  EXPECT_TRUE(board.rescue(100, 200, kSegment));
}

TEST(SackScoreboard, RescuesBelowWhatIsSackedAtTheEnd) {
  SackScoreboard board(16, 3);
  board.add(20, 60, 0, 100);
  board.add(66, 100, 0, 100);
  board.begin(10);
  const auto segment = board.rescue(0, 100, kSegment);
  ASSERT_TRUE(segment);
  EXPECT_EQ(segment->left, 60);
  EXPECT_EQ(segment->right, 66);
}

TEST(SackScoreboard, AfterATimeoutSkipsOnlyWhatIsSackedAnew) {
  SackScoreboard board(16, 3);
  board.add(20, 60, 0, 100);
  board.forget();
  EXPECT_EQ(board.skip(20), 20);
  board.add(30, 40, 0, 100);
  EXPECT_EQ(board.skip(20), 20);
  EXPECT_EQ(board.skip(30), 40);
  EXPECT_EQ(board.until(20, 100), 30);
  EXPECT_EQ(board.until(40, 100), 100);
}

}  // namespace
}  // namespace dp
