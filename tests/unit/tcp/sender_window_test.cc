// The receiver's window that shrinks, closes and opens, and the timers that go with it; round trips.
#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

TcpSenderSettings wide() {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  return s;
}

TEST(TcpSenderWindow, ThatShrinksInFlightStopsNewDataAndLosesNothing) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 8000});
  EXPECT_EQ(t.drain().size(), 8u);
  t.ack(1, {.window = 3000});  // segments 4 to 7 are beyond it
  EXPECT_TRUE(t.drain().empty());
  t.ack(4, {.window = 3000});
  EXPECT_TRUE(t.drain().empty());
  EXPECT_EQ(t.sender.flight(), 4000);
  t.ack(6, {.window = 3000});
  EXPECT_EQ(t.drain(), (Segments{8}));
  t.ack(9, {.window = 3000});
  EXPECT_EQ(t.drain(), (Segments{9, 10, 11}));
  EXPECT_EQ(t.sender.stats().retransmitted, 0u);
}

TEST(TcpSenderWindow, ThatShrinksAndLosesWhatWasBeyondItIsMendedByTheTimeoutWithinIt) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 8000});
  EXPECT_EQ(t.drain().size(), 8u);
  t.ack(2, {.window = 2000});
  t.sleep();
  EXPECT_EQ(t.drain(), (Segments{2}));
  t.ack(3, {.window = 2000});
  EXPECT_EQ(t.drain(), (Segments{3, 4}));
}

// RFC 9293 section 3.8.6.1: probes back off and never end; the window that opens is used at once.
TEST(TcpSenderWindow, ThatIsClosedIsProbedWithOneByteAtIntervalsThatDouble) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 2000});
  EXPECT_EQ(t.drain().size(), 2u);
  t.ack(2, {.window = 0});
  EXPECT_TRUE(t.drain().empty());
  for (const int seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(t.sleep(), ms(seconds * 1000));
    const auto probe = t.drain_segments();
    ASSERT_EQ(probe.size(), 1u);
    EXPECT_EQ(probe[0].payload.size(), 1u);
    EXPECT_EQ(probe[0].seq, 9'001u);
    t.ack(2, {.window = 0});
  }
  EXPECT_EQ(t.sender.stats().probes, 8u);
  EXPECT_EQ(t.sender.stats().timeouts, 0u);
  t.ack(2, {.window = 4000});
  EXPECT_EQ(t.drain(), (Segments{2, 3, 4, 5}));
  EXPECT_EQ(t.sleep(), ms(1000));  // the timeout proper, not the probes'
}

TEST(TcpSenderWindow, ThatTookTheProbesByteGoesOnBehindIt) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 1000});
  t.drain();
  t.ack(1, {.window = 0});
  t.drain();
  t.sleep();
  EXPECT_EQ(t.drain_segments().size(), 1u);
  t.ack_bytes(1001, {.window = 2000});
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].seq, 7'001u + 1001);
  EXPECT_EQ(out[0].payload.size(), kScriptMss);
}

TEST(TcpSenderWindow, ThatClosesOnDataInFlightIsProbedAndHalvesNothing) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 4000});
  EXPECT_EQ(t.drain().size(), 4u);
  t.ack(1, {.window = 0});
  t.sleep();
  const auto probe = t.drain_segments();
  ASSERT_EQ(probe.size(), 1u);
  EXPECT_EQ(probe[0].seq, 8'001u);
  EXPECT_EQ(probe[0].payload.size(), 1u);
  EXPECT_EQ(t.sender.stats().timeouts, 0u);
  t.ack(1, {.window = 4000});
  EXPECT_EQ(t.drain(), (Segments{1, 2, 3, 4}));
  EXPECT_GT(t.cwnd(), 4);
}

// RFC 9293 section 3.8.6.1: the connection stays open only while probes are answered.
TEST(TcpSenderWindow, ThatIsClosedByAPeerThatVanishesEndsInGivingUp) {
  TcpSenderSettings s = wide();
  s.retries = 3;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open({.window = 2000});
  EXPECT_EQ(t.drain().size(), 2u);
  t.ack(2, {.window = 0});
  t.drain();
  for (int i = 0; i < 3; ++i) {
    t.sleep();
    EXPECT_EQ(t.drain_segments().size(), 1u);
  }
  t.ack(2, {.window = 0});  // it was away for a while
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(t.sender.failed());
    t.sleep();
    EXPECT_EQ(t.drain_segments().size(), 1u);
  }
  t.sleep();
  EXPECT_TRUE(t.drain_segments().empty());
  EXPECT_TRUE(t.sender.failed());
  EXPECT_EQ(t.sender.next_deadline(), kNever);
}

// RFC 9293 section 3.8.6.2.1.
TEST(TcpSenderWindow, OfLessThanASegmentIsNotFilledUntilTheTimer) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 4000});
  EXPECT_EQ(t.drain().size(), 4u);
  t.ack(4, {.window = 300});
  EXPECT_TRUE(t.drain().empty());
  t.sleep();
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].payload.size(), 300u);
  t.ack_bytes(4300, {.window = 4000});
  EXPECT_EQ(t.drain_segments().size(), 4u);
}

TEST(TcpSenderWindow, ThatNeverHoldsASegmentIsFilledByItsHalf) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({.window = 600});
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].payload.size(), 600u);
}

TEST(TcpSenderTimer, TimesOneSegmentARoundTripAndSetsTheTimeout) {
  TcpSenderSettings s = script_sender();
  s.rto.floor = ms(0);
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open({}, ms(200));
  EXPECT_EQ(t.sender.srtt(), ms(200));
  t.drain();
  t.wait(ms(360));
  t.ack(1);
  EXPECT_EQ(t.sender.srtt(), ms(220));
  EXPECT_EQ(t.sender.rto(), ms(220 + 4 * 115));
}

TEST(TcpSenderTimer, RestartsOnEachNewAckAndStopsWhenAllIsAcknowledged) {
  SenderScript t(wide());
  t.sender.offer(3000);
  t.open({}, ms(100));
  EXPECT_EQ(t.drain().size(), 3u);
  t.wait(ms(400));
  t.ack(1);
  EXPECT_EQ(t.sender.next_deadline(), t.clock.now() + t.sender.rto());
  t.wait(ms(400));
  t.ack(1);  // a duplicate moves nothing
  EXPECT_EQ(t.sender.next_deadline(), t.clock.now() + t.sender.rto() - ms(400));
  t.ack(3);
  EXPECT_EQ(t.sender.next_deadline(), kNever);
}

TEST(TcpSenderTimer, DoublesAndKarnKeepsItSoUntilSomethingNewIsTimed) {
  SenderScript t(wide());
  t.sender.offer_unbounded();
  t.open({}, ms(100));
  EXPECT_EQ(t.drain().size(), 10u);
  for (const int seconds : {1, 2, 4}) {
    EXPECT_EQ(t.sleep(), ms(seconds * 1000));
    EXPECT_EQ(t.drain(), (Segments{0}));
  }
  EXPECT_EQ(t.sender.stats().timeouts, 3u);
  t.ack(10);  // for segments sent twice: no sample
  EXPECT_EQ(t.sender.rto(), ms(8000));
  EXPECT_EQ(t.drain(), (Segments{10, 11}));
  t.wait(ms(100));
  t.ack(11);
  EXPECT_EQ(t.sender.rto(), ms(1000));
}

TEST(TcpSenderTimer, WithTimestampsTimesARepeatToo) {
  TcpSenderSettings s = wide();
  s.timestamps = true;
  SenderScript t(s);
  t.sender.offer_unbounded();
  AckSpec answer{.timestamps = TcpOption::Timestamps{500, 1}};
  t.open(answer);
  const auto first = t.drain_segments();
  ASSERT_EQ(first.size(), 10u);
  EXPECT_EQ(first[0].payload.size(), kScriptMss - 12u);  // RFC 6691
  EXPECT_EQ(first[0].timestamps->echo, 500u);
  t.sleep();
  const auto again = t.drain_segments();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(t.sender.rto(), ms(2000));
  t.wait(ms(80));
  AckSpec ack{.timestamps = TcpOption::Timestamps{501, again[0].timestamps->value}};
  t.ack_bytes(kScriptMss - 12, ack);
  EXPECT_EQ(t.sender.rto(), ms(1000));
  EXPECT_LT(t.sender.srtt(), ms(81));
  EXPECT_EQ(t.drain_segments()[0].timestamps->echo, 501u);
}

TEST(TcpSenderTimer, AtTheLastRetryGivesTheConnectionUp) {
  TcpSenderSettings s = wide();
  s.retries = 2;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open();
  t.drain();
  for (int i = 0; i < 2; ++i) {
    t.sleep();
    EXPECT_EQ(t.drain(), (Segments{0}));
  }
  t.sleep();
  EXPECT_TRUE(t.drain().empty());
  EXPECT_TRUE(t.sender.failed());
}

}  // namespace
}  // namespace dp::test
