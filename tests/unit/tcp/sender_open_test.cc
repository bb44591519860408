// The sender opens a connection; events that end one early.
#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

TEST(TcpSender, OpensActivelyAndOffersWhatItsSettingsSay) {
  TcpSenderSettings s = script_sender();
  s.sack = s.timestamps = s.window_scaling = true;
  s.congestion = SackReno::Config{};
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.sender.connect();
  const auto syn = t.drain_segments();
  ASSERT_EQ(syn.size(), 1u);
  EXPECT_EQ(syn[0].flags, TcpView::kSyn);
  EXPECT_EQ(syn[0].seq, 7'000u);
  EXPECT_EQ(syn[0].mss, kScriptMss);
  EXPECT_EQ(syn[0].window_scale, 0);
  EXPECT_TRUE(syn[0].sack_permitted);
  EXPECT_TRUE(syn[0].timestamps);
  EXPECT_TRUE(t.drain_segments().empty());
}

TEST(TcpSender, EndsAnActiveOpenWithItsFirstData) {
  SenderScript t(script_sender());
  t.sender.offer_unbounded();
  t.open();
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].flags, TcpView::kAck);
  EXPECT_EQ(out[0].seq, 7'001u);
  EXPECT_EQ(out[0].ack, SenderScript::kPeerSeq + 1);
  EXPECT_EQ(out[0].payload.size(), kScriptMss);
}

TEST(TcpSender, WithoutDataEndsAnActiveOpenWithAnAck) {
  SenderScript t(script_sender());
  t.open();
  const auto out = t.drain_segments();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].payload.empty());
  EXPECT_EQ(t.sender.next_deadline(), kNever);
}

TEST(TcpSender, OpensPassivelyOnASynAndSendsOnTheAck) {
  SenderScript t(script_sender());
  t.sender.offer(5000);
  t.sender.listen();
  TcpSegment syn;
  syn.seq = 99;
  syn.flags = TcpView::kSyn;
  syn.mss = 700;
  t.sender.on_segment(syn, t.clock.now());
  const auto answer = t.drain_segments();
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].flags, TcpView::kSyn | TcpView::kAck);
  EXPECT_EQ(answer[0].ack, 100u);
  EXPECT_FALSE(answer[0].window_scale || answer[0].sack_permitted || answer[0].timestamps);
  TcpSegment ack;
  ack.seq = 100;
  ack.ack = answer[0].seq + 1;
  ack.flags = TcpView::kAck;
  ack.window = 5000;
  t.sender.on_segment(ack, t.clock.now());
  const auto data = t.drain_segments();
  ASSERT_EQ(data.size(), 1u);
  EXPECT_EQ(data[0].payload.size(), 700u);  // the peer's smaller MSS
}

TEST(TcpSender, TimesTheHandshakeUnlessItsSettingsSayThatDataIsTimedFirst) {
  for (const bool timed : {true, false}) {
    TcpSenderSettings s = script_sender();
    s.rto.initial = 3000_ms;
    s.rto.floor = 200_ms;
    s.rto.handshake = timed;
    SenderScript t(s);
    t.sender.offer_unbounded();
    t.open();
    EXPECT_EQ(t.sender.rto() == 3000_ms, !timed);
  }
}

TEST(TcpSender, RepeatsItsSynWithTimeoutsThatDoubleAndGivesUp) {
  TcpSenderSettings s = script_sender();
  s.retries = 3;
  SenderScript t(s);
  t.sender.connect();
  EXPECT_EQ(t.drain_segments().size(), 1u);
  for (const int seconds : {1, 2, 4}) {
    EXPECT_EQ(t.sleep(), ms(seconds * 1000));
    EXPECT_EQ(t.drain_segments().size(), 1u);
  }
  t.sleep();
  EXPECT_TRUE(t.drain_segments().empty());
  EXPECT_TRUE(t.sender.failed());
  EXPECT_EQ(t.sender.next_deadline(), kNever);
}

// RFC 5681 section 3.1 and RFC 6298 section 5.7.
TEST(TcpSender, AfterASynThatWasRepeatedStartsWithOneSegmentAndThreeSeconds) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  SenderScript t(s);
  t.sender.offer_unbounded();
  t.sender.connect();
  EXPECT_EQ(t.drain_segments().size(), 1u);
  t.sleep();
  t.open();
  EXPECT_EQ(t.drain(), (Segments{0}));
  EXPECT_EQ(t.sender.rto(), ms(3000));
}

TEST(TcpSender, IsResetOnlyByASegmentInItsPlace) {
  SenderScript t(script_sender());
  t.open();
  TcpSegment reset;
  reset.flags = TcpView::kRst;
  reset.seq = SenderScript::kPeerSeq + 2;
  t.sender.on_segment(reset, t.clock.now());
  EXPECT_FALSE(t.sender.failed());
  reset.seq = SenderScript::kPeerSeq + 1;
  t.sender.on_segment(reset, t.clock.now());
  EXPECT_TRUE(t.sender.failed());
}

}  // namespace
}  // namespace dp::test
