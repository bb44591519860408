// Loss recovery of the sender: each kind, step by step according to its RFC.
#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

TEST(TcpLoss, OfTwoDuplicatesIsNoneOfThreeIs) {
  Opened t(Reno::Config{});
  t.duplicates(2, 0);
  EXPECT_TRUE(t.drain().empty());
  t.duplicates(1, 0);
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.sender.stats().fast_retransmits, 1u);
}

TEST(TcpLoss, IsNotMeantByAcksThatChangeTheWindow) {
  Opened t(Reno::Config{});
  for (std::uint32_t i = 0; i < 6; ++i) t.ack(0, {.window = 50'000 + i});
  EXPECT_TRUE(t.drain().empty());
}

TEST(TahoeLoss, ReturnsToUnaAndToSlowStart) {
  Opened t(Tahoe::Config{});
  t.duplicates(3, 0);
  EXPECT_EQ(t.cwnd(), 1);
  EXPECT_EQ(t.ssthresh(), 5);
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.duplicates(6, 0);
  EXPECT_TRUE(t.drain().empty());
  t.ack(3);  // segment 3 was lost, too
  EXPECT_EQ(t.drain(), (Segments{3, 4}));
  t.ack(10);
  EXPECT_EQ(t.drain(), (Segments{10, 11, 12}));
  EXPECT_EQ(t.sender.stats().retransmitted, 3u);
}

// RFC 5681 section 3.2.
TEST(RenoLoss, HalvesInflatesAndDeflates) {
  Opened t(Reno::Config{});
  t.duplicates(3, 0);
  EXPECT_EQ(t.ssthresh(), 5);
  EXPECT_EQ(t.cwnd(), 8);
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.duplicates(2, 0);
  EXPECT_TRUE(t.drain().empty());
  t.duplicates(4, 0);
  EXPECT_EQ(t.drain(), (Segments{10, 11, 12, 13}));
  t.ack(10);
  EXPECT_EQ(t.cwnd(), 5);
  EXPECT_EQ(t.drain(), (Segments{14}));
  EXPECT_FALSE(t.sender.recovery().active());
}

TEST(RenoLoss, OfTwoInAWindowEndsAtTheFirstAndHalvesAgain) {
  Opened t(Reno::Config{});
  t.duplicates(8, 0);  // for segments 1 to 9 without 4
  EXPECT_EQ(t.drain(), (Segments{0, 10, 11, 12}));
  t.ack(4);
  EXPECT_EQ(t.cwnd(), 5);
  EXPECT_TRUE(t.drain().empty());
  t.duplicates(3, 4);
  EXPECT_EQ(t.drain(), (Segments{4}));
  EXPECT_EQ(t.ssthresh(), 4.5);  // nine were out
  EXPECT_EQ(t.sender.stats().fast_retransmits, 2u);
}

TEST(RenoLoss, WithTheGuardIsBelievedOnceAWindowThenTheTimeoutHasToMendIt) {
  TcpSenderSettings s = ten_out(Reno::Config{});
  s.guard = true;
  Opened t(s);
  t.duplicates(8, 0);
  t.drain();
  t.ack(4);
  t.duplicates(3, 4);
  EXPECT_TRUE(t.drain().empty());
  t.sleep();
  EXPECT_EQ(t.drain(), (Segments{4}));
  EXPECT_EQ(t.sender.stats().timeouts, 1u);
}

TEST(RenoLoss, HalvingTheWindowTakesCwndInWholeSegments) {
  TcpSenderSettings s = ten_out(Reno::Config{});
  s.halve_window = true;
  Opened t(s);
  t.ack(1);  // cwnd 10.1
  EXPECT_EQ(t.drain().size(), 1u);
  t.duplicates(8, 1);
  EXPECT_EQ(t.ssthresh(), 5);
  t.drain();
  t.ack(4);
  t.duplicates(3, 4);
  EXPECT_EQ(t.ssthresh(), 2);
}

// RFC 3042; RFC 5681 section 3.2 step 2: what it sent is not counted.
TEST(RenoLoss, WithLimitedTransmitSendsNewDataOnTheFirstDuplicates) {
  TcpSenderSettings s = ten_out(Reno::Config{});
  s.limited_transmit = true;
  Opened t(s);
  t.duplicates(1, 0);
  EXPECT_EQ(t.drain(), (Segments{10}));
  t.duplicates(1, 0);
  EXPECT_EQ(t.drain(), (Segments{11}));
  t.duplicates(1, 0);
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.ssthresh(), 5);
}

// RFC 6582 section 3.2.
TEST(NewRenoLoss, MendsAHoleARoundTripAndDeflatesByWhatIsAcknowledged) {
  Opened t(NewReno::Config{});
  t.duplicates(8, 0);  // 4 is lost, too
  EXPECT_EQ(t.drain(), (Segments{0, 10, 11, 12}));
  EXPECT_EQ(t.cwnd(), 13);
  t.ack(4);
  EXPECT_EQ(t.cwnd(), 10);
  EXPECT_EQ(t.drain(), (Segments{4, 13}));
  EXPECT_TRUE(t.sender.recovery().active());
  t.duplicates(3, 4);
  EXPECT_EQ(t.drain(), (Segments{14, 15, 16}));
  t.ack(13);
  EXPECT_FALSE(t.sender.recovery().active());
  EXPECT_EQ(t.cwnd(), 5);
  EXPECT_EQ(t.drain(), (Segments{17}));
  EXPECT_EQ(t.sender.stats().fast_retransmits, 1u);
}

TEST(NewRenoLoss, EndsWithNoMoreThanIsInFlightAndASegment) {
  TcpSenderSettings s = ten_out(NewReno::Config{});
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open({.window = 10'000});
  EXPECT_EQ(t.drain().size(), 10u);
  t.duplicates(9, 0, {.window = 10'000});
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.ack(10, {.window = 10'000});
  EXPECT_EQ(t.cwnd(), 2);
  EXPECT_EQ(t.drain(), (Segments{10, 11}));
}

TEST(NewRenoLoss, RestartsTheTimerOnTheFirstPartialAckOnly) {
  Opened t(NewReno::Config{});
  t.wait(ms(100));
  t.duplicates(5, 0);
  t.drain();
  t.wait(ms(100));
  t.ack(2);
  t.drain();
  const Time deadline = t.sender.next_deadline();
  EXPECT_EQ(deadline, t.clock.now() + t.sender.rto());
  t.wait(ms(100));
  t.ack(4);
  t.drain();
  EXPECT_EQ(t.sender.next_deadline(), deadline);
}

TEST(NewRenoLoss, AfterATimeoutIsNotSeenInTheDuplicatesOfTheGoBack) {
  Opened t(NewReno::Config{});
  t.sleep();
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.ack(2);
  EXPECT_EQ(t.drain(), (Segments{2, 3}));
  t.duplicates(5, 2);
  EXPECT_TRUE(t.drain().empty());
  EXPECT_EQ(t.sender.stats().fast_retransmits, 0u);
}

TEST(WestwoodLoss, SetsSsthreshToTheBandwidthSeenAndKeepsAWindowBelowIt) {
  TcpSenderSettings s = ten_out(WestwoodNr::Config{});
  s.initial_window = 4;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open({}, ms(100));
  t.drain();
  t.wait(ms(75));
  for (Offset n = 1; n <= 300; ++n) {  // 40 segments a second, and a window of round trip
    t.wait(ms(25));
    t.ack(n);
    t.drain();
  }
  const double rtt_min = 0.1;  // sampled by the first segment
  const auto& control = std::get<WestwoodNr>(t.sender.congestion());
  EXPECT_NEAR(control.bandwidth(), 40'000, 400);
  const double cwnd = t.cwnd();
  t.duplicates(3, 300);
  EXPECT_NEAR(t.ssthresh(), 40 * rtt_min, 0.2);
  EXPECT_LT(t.ssthresh(), cwnd / 2);
  EXPECT_EQ(t.drain(), (Segments{300}));
}

// RFC 6298 section 5, RFC 5681 section 3.1.
TEST(TcpTimeout, GoesBackToUnaAndSlowStartsUpToHalfOfWhatWasOut) {
  Opened t(Reno::Config{});
  t.sleep();
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.cwnd(), 1);
  EXPECT_EQ(t.ssthresh(), 5);
  t.ack(1);
  EXPECT_EQ(t.drain(), (Segments{1, 2}));
  t.ack(2);
  EXPECT_EQ(t.drain(), (Segments{3, 4}));
  t.ack(8);  // for the segments that came in before
  EXPECT_EQ(t.drain(), (Segments{8, 9, 10, 11}));
  EXPECT_EQ(t.sender.stats().retransmitted, 7u);
}

TEST(TcpTimeout, OfTheSameSegmentAgainHoldsSsthresh) {
  Opened t(Reno::Config{});
  for (int i = 0; i < 3; ++i) {
    t.sleep();
    EXPECT_EQ(t.drain(), (Segments{0}));
    EXPECT_EQ(t.ssthresh(), 5);
  }
}

TEST(TcpTimeout, InRecoveryHalvesTheHalvedWindow) {
  Opened t(NewReno::Config{});
  t.duplicates(9, 0);
  t.drain();
  EXPECT_EQ(t.sender.flight(), 14'000);
  t.sleep();
  t.drain();
  EXPECT_EQ(t.ssthresh(), 2.5);
}

}  // namespace
}  // namespace dp::test
