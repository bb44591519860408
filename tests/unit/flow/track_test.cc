// The source's data and the UE's cumulative ACKs.
#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

class TrackTest : public FlowBench {};

TEST_F(TrackTest, FollowsDataFromArrivalToAck) {
  open();
  down({.seq = 1001, .ack = 101, .payload = 1000});
  down({.seq = 2001, .ack = 101, .payload = 500});
  EXPECT_EQ(flow().arrived, 1501);
  EXPECT_EQ(flow().dequeued, 1);
  EXPECT_EQ(flow().outstanding(), 1500);
  EXPECT_EQ(flow().pipe(), 0) << "all of it waits";
  dequeue({.seq = 1001, .ack = 101, .payload = 1000});
  EXPECT_EQ(flow().dequeued, 1001);
  EXPECT_EQ(flow().pipe(), 1000);
  const auto seen = ack(2001);
  EXPECT_EQ(seen.kind, AckKind::advance);
  EXPECT_EQ(seen.ack, 1001);
  EXPECT_EQ(seen.newly, 1000u);
  EXPECT_EQ(flow().pipe(), 0);
  EXPECT_EQ(flow().outstanding(), 500);
  EXPECT_EQ(flow().forwarded_ack, 1001);
}

TEST_F(TrackTest, WorksTheSameOverIpv6AndVlans) {
  for (const Ends& with :
       {Ends{.peer = "2001:db8:ffff::1", .ue = "2001:db8:45::2"}, Ends{.vlans = {{}, {}}}}) {
    ends = with;
    open(options({scale(7)}), options({scale(1)}));
    data(1001, 1000);
    EXPECT_EQ(ack(2001).newly, 1000u);
    EXPECT_EQ(flow().shift(), 7);
  }
  EXPECT_EQ(table.size(), 2u);
}

TEST_F(TrackTest, SequenceNumbersMayWrapInBothStreams) {
  up({.seq = 0xffffff00, .flags = kSyn});
  down({.seq = 0xfffffff0, .ack = 0xffffff01, .flags = kSyn | kAck});
  up({.seq = 0xffffff01, .ack = 0xfffffff1});
  std::uint32_t seq = 0xfffffff1, ue = 0xffffff01;
  for (int i = 0; i < 10; ++i) {
    down({.seq = seq, .ack = ue, .payload = 100});
    seq += 100;
    const auto seen = up({.seq = ue, .ack = seq, .payload = 50});
    ue += 50;
    EXPECT_EQ(seen.newly, 100u);
  }
  EXPECT_EQ(flow().acked, 1001);
  EXPECT_EQ(flow().ue.sent, 501);
  EXPECT_EQ(flow().ue.acked, 451);
}

TEST_F(TrackTest, OffsetsGoOnBeyondFourGigabytes) {
  open(options({scale(14)}), options({scale(14)}));
  std::uint32_t seq = 1001;
  for (int i = 0; i < 100; ++i) {
    seq += 1u << 28;  // the segments between have gone another way
    data(seq, 100);
    ack(seq + 100);
  }
  EXPECT_EQ(flow().acked, 1 + (Offset{100} << 28) + 100);
  EXPECT_EQ(flow().arrived, flow().acked);
  EXPECT_EQ(flow().forwarded_ack, flow().acked);
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(TrackTest, RetransmittedAndOverlappingDataNeverMoveArrivedBack) {
  open();
  data(1001, 1000);
  data(1001, 1000);
  EXPECT_EQ(flow().arrived, 1001);
  data(1501, 1000);
  EXPECT_EQ(flow().arrived, 1501) << "half of it is new";
  data(1001, 10);
  EXPECT_EQ(flow().arrived, 1501);
  EXPECT_EQ(flow().dequeued, 1501);
}

TEST_F(TrackTest, DataBehindAGapCountAsArrived) {
  open();
  data(2001, 1000);
  EXPECT_EQ(flow().arrived, 2001);
  data(1001, 1000);
  EXPECT_EQ(flow().arrived, 2001);
  EXPECT_EQ(ack(3001).newly, 2000u);
}

TEST_F(TrackTest, KeepalivesAndWindowProbesMoveNothing) {
  open();
  data(1001, 1000);
  ack(2001);
  for (const std::size_t payload : {0u, 1u}) {
    data(2000, payload);
    EXPECT_EQ(flow().arrived, 1001) << payload;
    EXPECT_EQ(flow().dequeued, 1001) << payload;
    EXPECT_EQ(ack(2001).kind, AckKind::window_update) << "nothing is outstanding, so no duplicate";
  }
  EXPECT_EQ(up({.seq = 100, .ack = 2001}).kind, AckKind::window_update) << "the UE's own probe";
  EXPECT_EQ(up({.seq = 100, .ack = 2001, .payload = 1}).kind, AckKind::data);
  EXPECT_EQ(flow().ue.sent, 1);
  EXPECT_EQ(flow().duplicates, 0u);
}

TEST_F(TrackTest, DuplicatesHaveTheSameNumberAndWindowWhileDataIsOutstanding) {
  open();
  data(1001, 1000);
  data(2001, 1000);
  EXPECT_EQ(ack(2001, 5000).kind, AckKind::advance);
  EXPECT_EQ(ack(2001, 5000).kind, AckKind::duplicate);
  EXPECT_EQ(ack(2001, 5000).kind, AckKind::duplicate);
  EXPECT_EQ(flow().duplicates, 2u);
  EXPECT_EQ(ack(2001, 6000).kind, AckKind::window_update);
  EXPECT_EQ(flow().duplicates, 2u);
  EXPECT_EQ(ack(2001, 6000).kind, AckKind::duplicate);
  EXPECT_EQ(up({.seq = 101, .ack = 2001, .payload = 10, .window = 6000}).kind, AckKind::data);
  EXPECT_EQ(flow().duplicates, 3u);
  EXPECT_EQ(up({.seq = 111, .ack = 3001, .window = 6000}).kind, AckKind::advance);
  EXPECT_EQ(flow().duplicates, 0u);
  EXPECT_EQ(up({.seq = 111, .ack = 3001, .window = 6000}).kind, AckKind::window_update);
}

TEST_F(TrackTest, EcnBitsAndUrgencyAreNoNews) {
  open();
  data(1001, 1000);
  const std::uint8_t flags = kAck | TcpView::kEce | TcpView::kCwr | TcpView::kPsh | TcpView::kUrg;
  EXPECT_EQ(up({.seq = 101, .ack = 1501, .flags = flags}).kind, AckKind::advance);
  EXPECT_EQ(up({.seq = 101, .ack = 1501, .flags = flags}).kind, AckKind::duplicate);
}

TEST_F(TrackTest, AnAckBelowOneSeenBeforeIsOld) {
  open();
  data(1001, 3000);
  ack(3001, 100);
  const auto seen = ack(2001, 200);
  EXPECT_EQ(seen.kind, AckKind::old);
  EXPECT_EQ(seen.ack, 1001);
  EXPECT_EQ(seen.newly, 0u);
  EXPECT_EQ(flow().acked, 2001);
  EXPECT_EQ(flow().window, 100) << "its window is old too";
  EXPECT_EQ(flow().forwarded_ack, 2001);
}

TEST_F(TrackTest, DataOfTheUeAcknowledgeAsWell) {
  open();
  data(1001, 1000);
  const auto seen = up({.seq = 101, .ack = 2001, .payload = 20, .window = 77});
  EXPECT_EQ(seen.kind, AckKind::data);
  EXPECT_EQ(seen.newly, 1000u);
  EXPECT_EQ(flow().acked, 1001);
  EXPECT_EQ(flow().window, 77);
}

TEST_F(TrackTest, ASegmentWithoutAckFlagAcknowledgesNothing) {
  open();
  data(1001, 1000);
  const auto seen = up({.seq = 101, .ack = 2001, .flags = TcpView::kPsh, .payload = 20});
  EXPECT_EQ(seen.kind, AckKind::data);
  EXPECT_EQ(seen.ack, flow().acked);
  EXPECT_EQ(flow().acked, 1);
}

TEST_F(TrackTest, WhatIsToldIsWhatLeaves) {
  open(options({scale(2)}), options({scale(0)}));
  data(1001, 3000);
  hold({.seq = 101, .ack = 2001, .window = 100});
  EXPECT_EQ(flow().acked, 1001);
  EXPECT_EQ(flow().forwarded_ack, 1) << "it is held";
  leave({.seq = 101, .ack = 2001, .window = 60'000});
  EXPECT_EQ(flow().forwarded_ack, 1001);
  EXPECT_EQ(flow().advertised_edge, std::max(1 + 65535 * 4, 1001 + 60'000 * 4));
  ack(3001, 10);
  EXPECT_EQ(flow().forwarded_ack, 2001);
  EXPECT_EQ(flow().advertised_edge, std::max(1 + 65535 * 4, 1001 + 60'000 * 4))
      << "the highest that was seen";
}

TEST_F(TrackTest, AFinCountsOnceAndIsNoData) {
  open();
  data(1001, 1000);
  down({.seq = 2001, .ack = 101, .flags = kFin | kAck, .payload = 500});
  EXPECT_TRUE(flow().finished[0]);
  EXPECT_EQ(flow().arrived, 1502);
  EXPECT_EQ(ack(2501).newly, 1500u);
  const auto last = ack(2502);
  EXPECT_EQ(last.kind, AckKind::window_update) << "only the FIN";
  EXPECT_EQ(last.newly, 0u);
  EXPECT_EQ(ack(2502).kind, AckKind::window_update);
}

TEST_F(TrackTest, AConnectionIsOverOnceBothFinsAreAcknowledged) {
  open();
  EXPECT_EQ(up({.seq = 101, .ack = 1001, .flags = kFin | kAck}).kind, AckKind::fin);
  down({.seq = 1001, .ack = 102, .payload = 100});
  EXPECT_FALSE(flow().over()) << "half closed: the source may go on";
  down({.seq = 1101, .ack = 102, .flags = kFin | kAck});
  EXPECT_FALSE(flow().over());
  up({.seq = 102, .ack = 1101});
  EXPECT_FALSE(flow().over()) << "its FIN is on the way";
  up({.seq = 102, .ack = 1102});
  EXPECT_TRUE(flow().over());
}

TEST_F(TrackTest, AFinThatDataFollowsWasNone) {
  open();
  down({.seq = 1001, .ack = 101, .flags = kFin | kAck});
  EXPECT_TRUE(flow().finished[0]);
  data(1001, 1000);
  EXPECT_FALSE(flow().finished[0]);
  EXPECT_EQ(ack(2001).newly, 1000u);
}

TEST_F(TrackTest, AFinOfBeforeTheSynSpaceIsForgotten) {
  down({.seq = 3000, .ack = 101, .flags = kFin | kAck});
  EXPECT_TRUE(flow().finished[0]);
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck});
  EXPECT_FALSE(flow().finished[0]);
  const auto third = up({.seq = 101, .ack = 1001});
  EXPECT_EQ(third.kind, AckKind::window_update);
  EXPECT_EQ(third.newly, 0u);
  data(1001, 1000);
  EXPECT_EQ(ack(2001).newly, 1000u);
}

TEST_F(TrackTest, AFinInTheSynsPlaceIsNoDataEither) {
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck});
  down({.seq = 1000, .ack = 101, .flags = kFin | kAck});
  const auto third = up({.seq = 101, .ack = 1001});
  EXPECT_EQ(third.kind, AckKind::window_update);
  EXPECT_EQ(third.newly, 0u);
}

TEST_F(TrackTest, ASegmentDequeuedOfAnotherConnectionDoesNotCount) {
  open();
  dequeue({.seq = 50'000, .ack = 101, .payload = 1000});
  EXPECT_EQ(flow().dequeued, 1) << "such data never arrived";
}

}  // namespace
}  // namespace dp
