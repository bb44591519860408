// The sender by itself: handshake, slow start, timers, windows. Losses are in sender_loss_test.cc.
#include "dataplane/tcp/sender.h"

#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

TEST(TcpSender, SendsItsInitialWindowAtOnce) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 4;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open();
  EXPECT_EQ(t.drain(), (Segments{0, 1, 2, 3}));
}

TEST(TcpSender, DoublesItsWindowARoundTripInSlowStart) {
  SenderScript t(script_sender());
  t.sender.offer_unbounded();
  t.open();
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.ack(1);
  EXPECT_EQ(t.drain(), (Segments{1, 2}));
  t.ack(2);
  EXPECT_EQ(t.drain(), (Segments{3, 4}));
  t.ack(3);
  EXPECT_EQ(t.drain(), (Segments{5, 6}));
  EXPECT_EQ(t.cwnd(), 4);
}

TEST(TcpSender, TakesOneStepForAnAckOfTwoSegments) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 4;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open();
  EXPECT_EQ(t.drain().size(), 4u);
  t.ack(2);
  EXPECT_EQ(t.cwnd(), 5);
  EXPECT_EQ(t.drain(), (Segments{4, 5, 6}));
}

TEST(TcpSender, AboveSsthreshGrowsByASegmentARoundTrip) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 4;
  s.initial_ssthresh = 4000;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open();
  t.drain();
  for (int i = 1; i <= 3; ++i) {
    t.ack(i);
    EXPECT_EQ(t.drain(), (Segments{3 + i}));
  }
  t.ack(4);
  EXPECT_NEAR(t.cwnd(), 4.92, 0.01);
  EXPECT_EQ(t.drain(), (Segments{7}));
  t.ack(5);
  EXPECT_EQ(t.drain(), (Segments{8, 9}));
}

TEST(TcpSender, KeepsWithinTheReceiversWindow) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open({.window = 3999});
  EXPECT_EQ(t.drain(), (Segments{0, 1, 2}));
}

TEST(TcpSender, ScalesTheReceiversWindowExceptOnASyn) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  s.window_scaling = true;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.open({.window = 2000}, {}, std::uint8_t{2});
  EXPECT_EQ(t.drain(), (Segments{0, 1}));
  t.ack(1, {.window = 2000});
  EXPECT_EQ(t.drain(), (Segments{2, 3, 4, 5, 6, 7, 8}));
}

TEST(TcpSender, WithAFileToSendEndsWithAShortSegmentAndAFin) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  SenderScript t(s);
  t.sender.offer(2500);
  t.sender.close();
  t.open();
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[2].payload.size(), 500u);
  EXPECT_EQ(out[2].flags, TcpView::kAck | TcpView::kPsh | TcpView::kFin);
  t.ack_bytes(2500);
  EXPECT_FALSE(t.sender.all_acked());
  t.ack_bytes(2501);
  EXPECT_TRUE(t.sender.all_acked());
  EXPECT_EQ(t.sender.stats().acked_bytes, 2500u);
  EXPECT_EQ(t.sender.next_deadline(), kNever);
}

TEST(TcpSender, RepeatsAFinThatWasLost) {
  SenderScript t(script_sender());
  t.sender.offer(1000);
  t.sender.close();
  t.open();
  EXPECT_EQ(t.drain_segments().size(), 1u);
  t.ack_bytes(1000);
  EXPECT_TRUE(t.drain_segments().empty());
  t.sleep();
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].payload.empty());
  EXPECT_TRUE(out[0].has(TcpView::kFin));
  EXPECT_EQ(out[0].seq, 8'001u);
}

// RFC 9293 section 3.7.4.
TEST(TcpSender, HoldsAShortSegmentBackWhileMoreMayCome) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  SenderScript t(s);
  t.sender.offer(1300);
  t.open();
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.sender.offer(900);
  EXPECT_EQ(t.drain(), (Segments{1}));
  t.ack_bytes(2000);
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].payload.size(), 200u);
}

// RFC 5681 section 4.1.
TEST(TcpSender, AfterSilenceBeginsWithItsInitialWindowUnlessToldOtherwise) {
  for (const bool restart : {true, false}) {
    TcpSenderSettings s = script_sender();
    s.initial_window = 2;
    s.idle_restart = restart;
    SenderScript t(s);
    t.sender.offer(8000);
    t.open();
    for (Offset n : {0, 2, 4, 8}) {
      if (n > 0) t.ack(n);
      t.drain();
    }
    EXPECT_EQ(t.cwnd(), 5);
    t.wait(ms(3000));
    t.sender.offer_unbounded();
    EXPECT_EQ(t.drain().size(), restart ? 2u : 5u);
  }
}

TEST(TcpSender, AnswersThePeersFin) {
  SenderScript t(script_sender());
  t.open();
  t.drain_segments();
  t.ack(0, {.flags = TcpView::kAck | TcpView::kFin});
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].ack, SenderScript::kPeerSeq + 2);
}

TEST(TcpSender, IgnoresAcksOfWhatItNeverSentAndOfWhatIsOld) {
  SenderScript t(script_sender());
  t.sender.offer_unbounded();
  t.open();
  t.drain();
  t.ack(5);
  EXPECT_TRUE(t.drain().empty());
  t.ack(1);
  t.drain();
  t.ack(2);
  t.drain();
  t.ack(0, {.window = 0});
  EXPECT_EQ(t.sender.peer_window(), 60'000);
}

TEST(TcpSender, CrossesTheEndOfSequenceSpace) {
  SenderScript t(script_sender(), 0xffffffff - 2500);
  t.sender.offer_unbounded();
  t.open();
  EXPECT_EQ(t.drain(), (Segments{0}));
  t.ack(1);
  EXPECT_EQ(t.drain(), (Segments{1, 2}));
  t.ack(3);
  EXPECT_EQ(t.drain(), (Segments{3, 4, 5}));
}

}  // namespace
}  // namespace dp::test
