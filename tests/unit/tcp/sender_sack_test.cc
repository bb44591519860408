// The sender with SACK: RFC 6675 (dataplane/tcp/recovery.h), RFC 2883, and CUBIC on top of it.
#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

TcpSenderSettings sack_ten() {
  TcpSenderSettings s = ten_out(SackReno::Config{});
  s.sack = true;
  return s;
}

TEST(SackLoss, IsSeenByThreeDuplicatesAndMendedByScoreboard) {
  Opened t(sack_ten());
  // 0, 2 and 5 are lost.
  t.ack(0, {.blocks = {{1, 2}}});
  EXPECT_EQ(t.drain(), (Segments{10}));  // RFC 6675 section 5 step 3
  t.ack(0, {.blocks = {{3, 4}, {1, 2}}});
  EXPECT_EQ(t.drain(), (Segments{11}));
  t.ack(0, {.blocks = {{3, 5}, {1, 2}}});
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.cwnd(), 5);
  EXPECT_EQ(t.ssthresh(), 5);
  // The pipe: 12 out, 3 SACKed, 0 lost and sent again, 2 not yet lost: 9.
  t.ack(0, {.blocks = {{6, 7}, {3, 5}, {1, 2}}});
  EXPECT_TRUE(t.drain().empty());  // 2 lost now: 12 - 4 - 2 + 1 = 7
  t.ack(0, {.blocks = {{6, 8}, {3, 5}, {1, 2}}});
  t.ack(0, {.blocks = {{6, 9}, {3, 5}, {1, 2}}});  // 5 lost: 12 - 6 - 3 + 1 = 4
  EXPECT_EQ(t.drain(), (Segments{2}));
  t.ack(0, {.blocks = {{6, 10}, {3, 5}, {1, 2}}});
  EXPECT_EQ(t.drain(), (Segments{5}));
  t.ack(2, {.blocks = {{6, 10}, {3, 5}}});
  EXPECT_EQ(t.drain(), (Segments{12}));
  t.ack(12);
  EXPECT_FALSE(t.sender.recovery().active());
  EXPECT_EQ(t.cwnd(), 5);
  EXPECT_EQ(t.sender.stats().retransmitted, 3u);
}

TEST(SackLoss, IsSeenAtOnceWhenOneAckTellsOfThreeSegments) {
  Opened t(sack_ten());
  t.ack(0, {.blocks = {{1, 4}}});
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.sender.stats().duplicate_acks, 1u);
}

TEST(SackLoss, IsNotMeantByDuplicatesWithoutNews) {
  Opened t(sack_ten());
  t.ack(0, {.blocks = {{1, 2}}});
  t.drain();
  for (int i = 0; i < 5; ++i) t.ack(0, {.blocks = {{1, 2}}});
  EXPECT_TRUE(t.drain().empty());
}

TEST(SackLoss, AfterATimeoutStartsFromUnaAndSkipsWhatIsReportedAnew) {
  Opened t(sack_ten());
  t.ack(0, {.blocks = {{4, 6}}});
  t.drain();
  t.sleep();
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.ack(3, {.blocks = {{4, 6}}});
  EXPECT_EQ(t.drain(), (Segments{3, 6}));
  EXPECT_EQ(t.sender.stats().fast_retransmits, 0u);
}

TEST(SackLoss, WithAPeerThatKnowsNoSackFallsBackToNewReno) {
  TcpSenderSettings s = ten_out(SackReno::Config{});
  s.sack = false;
  Opened t(s);
  EXPECT_EQ(t.sender.recovery().kind(), Recovery::newreno);
  t.duplicates(3, 0);
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.cwnd(), 8);
}

// RFC 2883 section 4.
TEST(SackLoss, CountsDsacksAndMistakesThemForNothing) {
  Opened t(sack_ten());
  t.ack(3);
  t.drain();
  for (int i = 0; i < 4; ++i) t.ack(3, {.blocks = {{1, 2}}});  // below the ACK
  EXPECT_EQ(t.sender.stats().dsacks, 4u);
  t.ack(3, {.blocks = {{5, 7}}});
  t.ack(3, {.blocks = {{5, 6}, {5, 7}}});  // within the second block
  EXPECT_EQ(t.sender.stats().dsacks, 5u);
  EXPECT_EQ(t.sender.stats().fast_retransmits, 0u);
}

TEST(SackLoss, AcrossTheEndOfSequenceSpaceIsMendedAsAnywhere) {
  SenderScript t(sack_ten(), 0xffffffff - 4500);
  t.sender.offer_unbounded();
  t.open();
  EXPECT_EQ(t.drain().size(), 10u);
  t.ack(0, {.blocks = {{1, 6}}});
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.ack(0, {.blocks = {{8, 10}, {1, 6}}});
  t.ack(6, {.blocks = {{8, 10}}});
  EXPECT_EQ(t.drain(), (Segments{10, 11, 12}));
  t.ack(6, {.blocks = {{8, 11}}});
  EXPECT_EQ(t.drain(), (Segments{6, 7, 13}));
}

TEST(CubicLoss, KeepsSevenTenthsAndMendsByScoreboard) {
  TcpSenderSettings s = ten_out(Cubic::Config{});
  s.sack = true;
  Opened t(s);
  t.ack(0, {.blocks = {{1, 4}}});
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_DOUBLE_EQ(t.cwnd(), 7);
}

}  // namespace
}  // namespace dp::test
