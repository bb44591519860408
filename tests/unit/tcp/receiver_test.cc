#include "dataplane/tcp/receiver.h"

#include <gtest/gtest.h>

#include "tests/support/tcp_script.h"

namespace dp::test {
namespace {

using Acks = std::vector<Offset>;
using Blocks = std::vector<std::pair<Offset, Offset>>;

TcpReceiverSettings plain() {
  TcpReceiverSettings s;
  s.mss = kScriptMss;
  return s;
}

// RFC 5681 section 4.2.
TEST(TcpReceiver, AcknowledgesEverySecondSegmentAtOnce) {
  ReceiverScript t(plain());
  t.open();
  t.data(0, 1);
  EXPECT_TRUE(t.acks().empty());
  t.data(1, 2);
  EXPECT_EQ(t.acks(), (Acks{2}));
  t.data(2, 3);
  EXPECT_TRUE(t.acks().empty());
}

TEST(TcpReceiver, AcknowledgesALoneSegmentWhenItsTimeIsUp) {
  ReceiverScript t(plain());
  t.open();
  t.data(0, 1);
  EXPECT_TRUE(t.acks().empty());
  EXPECT_EQ(t.receiver.next_deadline(), t.clock.now() + ms(200));
  t.clock.advance(ms(199));
  EXPECT_TRUE(t.acks().empty());
  t.clock.advance(ms(1));
  EXPECT_EQ(t.acks(), (Acks{1}));
  EXPECT_EQ(t.receiver.next_deadline(), kNever);
}

TEST(TcpReceiver, CountsTheDelayFromTheFirstSegmentThatWaits) {
  TcpReceiverSettings s = plain();
  s.ack_every = 4;
  ReceiverScript t(s);
  t.open();
  t.data(0, 1);
  t.clock.advance(ms(150));
  t.data(1, 3);
  EXPECT_TRUE(t.acks().empty());
  t.clock.advance(ms(50));
  EXPECT_EQ(t.acks(), (Acks{3}));
}

TEST(TcpReceiver, AcknowledgesItsFirstSegmentsOneByOneIfToldTo) {
  TcpReceiverSettings s = plain();
  s.quick_acks = 3;
  ReceiverScript t(s);
  t.open();
  for (Offset i = 0; i < 3; ++i) {
    t.data(i, i + 1);
    EXPECT_EQ(t.acks(), (Acks{i + 1}));
  }
  t.data(3, 4);
  EXPECT_TRUE(t.acks().empty());
}

TEST(TcpReceiver, AnswersEverySegmentOutOfOrderWithADuplicate) {
  ReceiverScript t(plain());
  t.open();
  t.data(0, 2);
  EXPECT_EQ(t.acks(), (Acks{2}));
  for (Offset i = 3; i < 6; ++i) {
    t.data(i, i + 1);
    EXPECT_EQ(t.acks(), (Acks{2}));
  }
  EXPECT_EQ(t.receiver.stats().out_of_order, 3u);
}

TEST(TcpReceiver, AcknowledgesAtOnceWhatFillsAGapInPartOrWhole) {
  ReceiverScript t(plain());
  t.open();
  t.data(2, 3);
  t.data(5, 6);
  t.acks();
  t.data(0, 1);
  EXPECT_EQ(t.acks(), (Acks{1}));
  t.data(1, 2);
  EXPECT_EQ(t.acks(), (Acks{3}));
  t.data(3, 5);
  EXPECT_EQ(t.acks(), (Acks{6}));
  EXPECT_EQ(t.receiver.stats().delivered_segments, 6u);
  EXPECT_EQ(t.receiver.stats().delivered_bytes, 6000u);
}

TEST(TcpReceiver, SaysOfEachSegmentWhatWasNewAndWhatItDelivered) {
  ReceiverScript t(plain());
  t.open();
  auto a = t.bytes(2000, 1000);
  EXPECT_EQ(a.position, 2000);
  EXPECT_EQ(a.fresh, 1000u);
  EXPECT_EQ(a.delivered, 0u);
  a = t.bytes(0, 2500);  // half of the held one again
  EXPECT_EQ(a.fresh, 2000u);
  EXPECT_EQ(a.delivered, 3000u);
  a = t.bytes(1000, 1000);
  EXPECT_EQ(a.payload, 1000u);
  EXPECT_EQ(a.fresh, 0u);
  EXPECT_EQ(t.receiver.stats().duplicates, 1u);
  EXPECT_EQ(t.receiver.stats().corrupt, 0u);
}

TEST(TcpReceiver, TellsAPayloadThatDoesNotFitItsSequenceNumber) {
  ReceiverScript t(plain());
  t.open();
  t.bytes(0, 1000);
  TcpSegment s;
  const std::vector<std::byte> wrong(1000);
  s.seq = 70'001 + 1000;
  s.ack = 401;
  s.flags = TcpView::kAck;
  s.payload = wrong;
  t.receiver.on_segment(s, t.clock.now());
  EXPECT_EQ(t.receiver.stats().corrupt, 1u);
}

// RFC 2018 section 4.
TEST(TcpReceiver, ReportsTheBlockThatCameLastFirstAndThenByAge) {
  ReceiverScript t(plain());
  t.open();
  t.data(1, 2);
  EXPECT_EQ(t.blocks(), (Blocks{{1, 2}}));
  t.data(3, 4);
  EXPECT_EQ(t.blocks(), (Blocks{{3, 4}, {1, 2}}));
  t.data(5, 6);
  t.acks();
  t.data(7, 8);
  t.acks();
  t.data(9, 10);
  EXPECT_EQ(t.blocks(), (Blocks{{9, 10}, {7, 8}, {5, 6}, {3, 4}}));
  t.data(2, 3);  // joins the two oldest
  EXPECT_EQ(t.blocks(), (Blocks{{1, 4}, {9, 10}, {7, 8}, {5, 6}}));
}

TEST(TcpReceiver, ReportsThreeBlocksBesideTimestampsAndNoneUnlessAsked) {
  ReceiverScript with(plain());
  with.open(true, 1);
  ReceiverScript without(plain());
  without.open(false);
  for (Offset i = 1; i < 11; i += 2) {
    with.data(i, i + 1, 2);
    EXPECT_EQ(with.blocks().size(), std::min<std::size_t>(3, static_cast<std::size_t>(i / 2) + 1));
    without.data(i, i + 1);
    EXPECT_TRUE(without.blocks().empty());
  }
}

// RFC 2883 section 4: the examples of a duplicate below the ACK and of one out of order.
TEST(TcpReceiver, ReportsDuplicatesAsDsacksIfToldTo) {
  TcpReceiverSettings s = plain();
  s.dsack = true;
  ReceiverScript t(s);
  t.open();
  t.data(0, 2);
  t.acks();
  t.data(0, 1);
  EXPECT_EQ(t.blocks(), (Blocks{{0, 1}}));
  t.data(3, 6);
  t.drain();
  t.data(4, 5);
  EXPECT_EQ(t.blocks(), (Blocks{{4, 5}, {3, 6}}));
  t.data(6, 7);
  EXPECT_EQ(t.blocks(), (Blocks{{3, 7}}));
}

TEST(TcpReceiver, ThatHasNoPlaceLeftForARangeRefusesAndStillAnswers) {
  TcpReceiverSettings s = plain();
  s.max_ranges = 2;
  ReceiverScript t(s);
  t.open();
  for (Offset i = 2; i <= 6; i += 2) t.data(i, i + 1);
  EXPECT_EQ(t.receiver.stats().rejected, 1u);
  EXPECT_EQ(t.receiver.held().size(), 2u);
  EXPECT_EQ(t.acks(), (Acks{0}));
}

// RFC 7323 section 4.3: the echo is of the segment that the ACK is for, the first of those that waited.
TEST(TcpReceiver, EchoesTheStampOfTheFirstSegmentAnAckCovers) {
  ReceiverScript t(plain());
  t.open(true, 100);
  EXPECT_EQ(t.syn_ack.timestamps->echo, 100u);
  t.data(0, 1, 110);
  t.data(1, 2, 120);
  auto out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].timestamps->echo, 110u);
  t.data(3, 4, 130);  // after a gap: still the last one in order
  out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].timestamps->echo, 110u);
  t.data(2, 3, 140);  // fills it
  out = t.drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].timestamps->echo, 140u);
}

// RFC 7323 section 5.3.
TEST(TcpReceiver, TakesNothingFromSegmentsThatAreOlderThanTheLastInOrder) {
  ReceiverScript t(plain());
  t.open(true, 100);
  t.data(0, 2, 200);
  t.drain();
  t.data(2, 3, 150);
  EXPECT_EQ(t.receiver.next(), 2001);
  EXPECT_EQ(t.acks(), (Acks{2}));
}

}  // namespace
}  // namespace dp::test
