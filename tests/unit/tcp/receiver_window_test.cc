// The receiver's window, its application, and how a connection begins and ends for it.
#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Acks = std::vector<Offset>;

TcpReceiverSettings with_script_mss() {
  TcpReceiverSettings s;
  s.mss = kScriptMss;
  return s;
}

TEST(TcpReceiver, RefusesWhatLiesBeyondItsWindow) {
  TcpReceiverSettings s = with_script_mss();
  s.window = 3000;
  ReceiverScript t(s);
  t.open();
  const auto a = t.bytes(3000, 1000);
  EXPECT_EQ(a.fresh, 0u);
  EXPECT_EQ(t.receiver.stats().rejected, 1u);
  EXPECT_EQ(t.acks(), (Acks{0}));
  EXPECT_EQ(t.bytes(2500, 1000).fresh, 500u);
}

TEST(TcpReceiver, OffersWindowScalingOnlyToWhoAsks) {
  TcpReceiverSettings s = with_script_mss();
  s.window = 400'000;
  s.window_scale = 3;
  ReceiverScript asked(s);
  asked.open(true, {}, std::uint8_t{0});
  EXPECT_EQ(asked.syn_ack.window_scale, 3);
  EXPECT_EQ(asked.syn_ack.window, 65'535);
  asked.data(0, 2);
  EXPECT_EQ(asked.drain()[0].window, 50'000);
  ReceiverScript unasked(s);
  unasked.open();
  EXPECT_FALSE(unasked.syn_ack.window_scale);
  unasked.data(0, 2);
  EXPECT_EQ(unasked.drain()[0].window, 65'535);
}

TEST(TcpReceiver, WhoseApplicationStopsReadingClosesItsWindowAndOpensItAgain) {
  TcpReceiverSettings s = with_script_mss();
  s.window = 4000;
  ReceiverScript t(s);
  t.open();
  t.receiver.pause(t.clock.now());
  t.data(0, 2);
  EXPECT_EQ(t.drain()[0].window, 2000);
  t.data(2, 4);
  EXPECT_EQ(t.drain()[0].window, 0);
  t.bytes(4000, 1);  // a probe
  const auto answer = t.drain();
  ASSERT_EQ(answer.size(), 1u);
  EXPECT_EQ(answer[0].window, 0);
  t.receiver.resume(t.clock.now());
  const auto update = t.drain();
  ASSERT_EQ(update.size(), 1u);
  EXPECT_EQ(update[0].window, 4000);
}

// 16 kbit/s are 2000 bytes a second; an update comes with two segments of room.
TEST(TcpReceiver, ReadAtARateSaysInTimeThatThereIsRoomAgain) {
  TcpReceiverSettings s = with_script_mss();
  s.window = 4000;
  s.read_rate = 16'000;
  ReceiverScript t(s);
  t.open();
  t.data(0, 4);
  EXPECT_EQ(t.drain().back().window, 0);
  const Time begin = t.clock.now();
  t.clock.set(t.receiver.next_deadline());
  EXPECT_NEAR(static_cast<double>((t.clock.now() - begin).count()), 1e9, 10);
  const auto update = t.drain();
  ASSERT_EQ(update.size(), 1u);
  EXPECT_EQ(update[0].window, 2000);
  EXPECT_EQ(t.receiver.unread(), 2000);
}

TEST(TcpReceiver, NeverMovesTheRightEdgeBackNorBySillySteps) {
  TcpReceiverSettings s = with_script_mss();
  s.window = 10'000;
  ReceiverScript t(s);
  t.open();
  t.receiver.pause(t.clock.now());
  t.data(0, 4);
  EXPECT_EQ(t.drain().back().window, 6000);
  t.receiver.resume(t.clock.now());
  t.receiver.pause(t.clock.now());
  t.bytes(4000, 400);
  t.bytes(4400, 100);
  auto out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].window, 9500);
  t.receiver.resume(t.clock.now());  // 500 bytes of room more: not worth a move
  t.bytes(4500, 100);
  t.bytes(4600, 100);
  out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].window, 9300);
}

TEST(TcpReceiver, AcknowledgesAFinAtOnceAndSendsItsOwnUntilThatIsAcknowledged) {
  ReceiverScript t(with_script_mss());
  t.open();
  t.bytes(0, 500, TcpView::kAck | TcpView::kFin);
  auto out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].ack, 70'000u + 502);
  EXPECT_EQ(out[0].flags, TcpView::kAck | TcpView::kFin);
  EXPECT_FALSE(t.receiver.finished());
  t.clock.set(t.receiver.next_deadline());
  out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].has(TcpView::kFin));
  EXPECT_EQ(out[0].seq, 401u);
  TcpSegment last;
  last.seq = 70'502;
  last.ack = 402;
  last.flags = TcpView::kAck;
  t.receiver.on_segment(last, t.clock.now());
  EXPECT_TRUE(t.receiver.finished());
  EXPECT_EQ(t.receiver.next_deadline(), kNever);
}

TEST(TcpReceiver, TakesAFinOnlyInItsPlace) {
  ReceiverScript t(with_script_mss());
  t.open();
  t.bytes(1000, 500, TcpView::kAck | TcpView::kFin);
  EXPECT_EQ(t.acks(), (Acks{0}));
  t.data(0, 1);
  const auto out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].ack, 70'000u + 1502);
  EXPECT_TRUE(out[0].has(TcpView::kFin));
}

TEST(TcpReceiver, AnswersASynAckThatComesAgain) {
  ReceiverScript t(with_script_mss());
  t.receiver.connect();
  ASSERT_EQ(t.drain().size(), 1u);
  TcpSegment s;
  s.seq = 70'000;
  s.ack = 401;
  s.flags = TcpView::kSyn | TcpView::kAck;
  s.window = 65'535;
  for (int i = 0; i < 2; ++i) {
    t.receiver.on_segment(s, t.clock.now());
    EXPECT_EQ(t.acks(), (Acks{0})) << i;
  }
}

}  // namespace
}  // namespace dp::test
