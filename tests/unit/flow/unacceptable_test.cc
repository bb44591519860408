// Segments outside the connection, segments that went another way or were missed, and RST.
#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

class UnacceptableSegmentTest : public FlowBench {
 protected:
  // A connection without window scale, so that 65535 bytes are the most that may be under way.
  void live() {
    open();
    data(1001, 1000);
    up({.seq = 101, .ack = 2001, .payload = 100});
    down({.seq = 2001, .ack = 201});
  }
  // Their windows were offered as 64 kB.
  void live_with_scales() {
    up({.seq = 100, .flags = kSyn, .options = options({scale(2)})});
    down({.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = options({scale(4)})});
    up({.seq = 101, .ack = 1001, .window = 16'000});
    down({.seq = 1001, .ack = 101, .payload = 1000, .window = 4'000});
    up({.seq = 101, .ack = 2001, .payload = 100, .window = 16'000});
    down({.seq = 2001, .ack = 201, .window = 4'000});
  }
  void expect_as_before() {
    EXPECT_EQ(flow().arrived, 1001);
    EXPECT_EQ(flow().acked, 1001);
    EXPECT_EQ(flow().ue.sent, 101);
    EXPECT_EQ(flow().ue.acked, 101);
    EXPECT_FALSE(flow().asymmetric || flow().over() || flow().finished[0] || flow().finished[1]);
    EXPECT_EQ(restarts, 0u);
  }
};

TEST_F(UnacceptableSegmentTest, DataFarOutsideTheWindowAreIgnored) {
  live();
  for (const std::uint32_t seq : {2001u + 65536u, 2001u + (1u << 30), 2001u + (1u << 31), 0u - 64'000u}) {
    down({.seq = seq, .ack = 201, .flags = kFin | kAck, .payload = 1000});
    dequeue({.seq = seq, .ack = 201, .payload = 1000});
    expect_as_before();
  }
  down({.seq = 2001, .ack = 0x80000000, .payload = 1000});
  expect_as_before();
  down({.seq = 2001, .ack = 202, .payload = 1000});
  expect_as_before();
}

TEST_F(UnacceptableSegmentTest, UplinkSegmentsFarOutsideTheWindowAreIgnored) {
  live();
  for (const std::uint32_t seq : {201u + 65536u, 201u + (1u << 31), 0u - 66'000u}) {
    const auto seen = up({.seq = seq, .ack = 2001, .flags = kFin | kAck, .payload = 10});
    EXPECT_EQ(seen.kind, AckKind::fin);
    EXPECT_EQ(seen.ack, 1001);
    expect_as_before();
  }
  const auto seen = up({.seq = 201, .ack = 2001u - 70'000u});
  EXPECT_EQ(seen.kind, AckKind::old);
  EXPECT_EQ(seen.ack, 1001);
  up({.seq = 201, .ack = 2001 + (1u << 30) + 1});
  expect_as_before();
}

TEST_F(UnacceptableSegmentTest, TheWindowIsAsWideAsTheScaleAllows) {
  open(options({scale(2)}), options({scale(0)}));
  data(1001 + 4 * 65535, 100);
  EXPECT_EQ(flow().arrived, 1 + 4 * 65535 + 100) << "at the edge: a window probe";
  ack(1001);
  down({.seq = 1001 + 8 * 65535, .ack = 101, .payload = 100});
  EXPECT_EQ(flow().arrived, 1 + 4 * 65535 + 100);
}

// A bypass for a while, or a connection that was exchanged for another unseen.
TEST_F(UnacceptableSegmentTest, ALongRunOfBothEndsMeansThatTheFlowIsLost) {
  live();
  const std::uint32_t handle = table.handle(flow());
  std::uint32_t seq = 0x90000000;
  for (int i = 0; i < 10; ++i, now += 100ms) {
    down({.seq = seq, .ack = 201, .payload = 1000});
    up({.seq = 201, .ack = seq + 1000});
    seq += 1000;
    expect_as_before();
  }
  data(seq, 1000);
  EXPECT_EQ(restarts, 1u);
  EXPECT_NE(table.handle(flow()), handle);
  EXPECT_FALSE(flow().scale_known()) << "it may be another connection's";
  EXPECT_EQ(up({.seq = 201, .ack = seq + 1000}).kind, AckKind::window_update) << "the first that is heard";
  data(seq + 1000, 1000);
  EXPECT_EQ(up({.seq = 201, .ack = seq + 2000}).newly, 1000u);
  EXPECT_TRUE(flow().established);
}

TEST_F(UnacceptableSegmentTest, OneEndAloneCannotEndAFlow) {
  live();
  for (int i = 0; i < 100; ++i, now += 1s) down({.seq = 0x90000000, .ack = 201, .payload = 1000});
  for (int i = 0; i < 100; ++i, now += 1s) up({.seq = 0x70000000, .ack = 0x30000000, .payload = 1000});
  expect_as_before();
}

TEST_F(UnacceptableSegmentTest, SegmentsAtOtherPositionsAreNoRun) {
  live();
  for (std::uint32_t i = 0; i < 100; ++i, now += 1s) {
    down({.seq = 0x30000000 + (i << 24), .ack = 201, .payload = 1000});
    up({.seq = 201, .ack = 0x30000000 + (i << 24)});
  }
  expect_as_before();
}

TEST_F(UnacceptableSegmentTest, AnAckAheadOfWhatCameMovesNothing) {
  live();
  const Offset forwarded = flow().forwarded_ack, edge = flow().advertised_edge;
  for (const std::uint32_t ahead : {1u, 29'200u, 65'535u}) {
    const auto seen = up({.seq = 201, .ack = 2001 + ahead});
    EXPECT_EQ(seen.kind, AckKind::ahead);
    EXPECT_EQ(seen.ack, 1001 + ahead);
    expect_as_before();
  }
  EXPECT_EQ(up({.seq = 201, .ack = 2002, .payload = 100}).kind, AckKind::data);
  expect_as_before();
  EXPECT_TRUE(up({.seq = 201, .ack = 2001 + 900'000'000}).unacceptable);
  expect_as_before();
  EXPECT_EQ(flow().forwarded_ack, forwarded);
  EXPECT_EQ(flow().advertised_edge, edge);
  data(2001, 1000);
  EXPECT_EQ(up({.seq = 201, .ack = 3001}).newly, 1000u);
}

TEST_F(UnacceptableSegmentTest, WhatIsAcknowledgedBeforeItWasSentIsNotInThePipe) {
  open();
  down({.seq = 1001, .ack = 101, .payload = 3000});
  dequeue({.seq = 1001, .ack = 101, .payload = 1000});
  const Duration radio = flow().radio.smoothed;
  now += 10ms;
  EXPECT_EQ(ack(4001).newly, 3000u);
  EXPECT_EQ(flow().dequeued, 1001);
  EXPECT_EQ(flow().pipe(), 0);
  EXPECT_EQ(flow().radio.smoothed, radio) << "no round trip can be read from it";
  dequeue({.seq = 2001, .ack = 101, .payload = 2000});
  EXPECT_EQ(flow().dequeued, 3001);
}

// The ends scale: 1 MB and 256 kB could be under way, but 64 kB were offered.
TEST_F(UnacceptableSegmentTest, AFinBeyondTheWindowThatWasOfferedIsIgnored) {
  live_with_scales();
  down({.seq = 2001 + 70'000, .ack = 201, .flags = kFin | kAck});
  up({.seq = 201 + 70'000, .ack = 2001, .flags = kFin | kAck});
  expect_as_before();
  down({.seq = 2001 + 1000, .ack = 201, .flags = kFin | kAck});
  EXPECT_TRUE(flow().finished[0]);
  up({.seq = 201, .ack = 2001, .flags = kFin | kAck});
  EXPECT_TRUE(flow().finished[1]);
}

// RFC 5961 section 3.2: its peer answers any other by a challenge ACK.
TEST_F(UnacceptableSegmentTest, AResetWithAnyNumberButTheExactOneEndsNothing) {
  for (const std::uint8_t flags : {kRst, static_cast<std::uint8_t>(kRst | kAck)}) {
    live_with_scales();
    for (const std::uint32_t off : {1u, 2u, 1000u, 10'000u, 63'000u, 70'000u, 0u - 1u, 0u - 50u}) {
      down({.seq = 2001 + off, .ack = 201, .flags = flags});
      up({.seq = 201 + off, .ack = 2001, .flags = flags});
      expect_as_before();
    }
    down({.seq = 2001, .ack = 201, .flags = flags});
    EXPECT_TRUE(flow().reset[0]);
    up({.seq = 201, .ack = 2001, .flags = flags});
    EXPECT_TRUE(flow().reset[1]);
    ++ends.ue_port;
  }
}

// Data are on their way to the peer: it awaits what it has acknowledged, or what is behind them.
TEST_F(UnacceptableSegmentTest, AResetAtWhatItsPeerHasAcknowledgedEndsTheFlow) {
  for (const Direction direction : {Direction::downlink, Direction::uplink}) {
    live();
    data(2001, 1000);
    up({.seq = 201, .ack = 2001, .payload = 100});
    const bool is_down = direction == Direction::downlink;
    const auto reset = [&](std::uint32_t off) {
      is_down ? void(down({.seq = 2001 + off, .flags = kRst})) : void(up({.seq = 201 + off, .flags = kRst}));
    };
    for (const std::uint32_t off : {1u, 50u, 99u}) reset(off);
    EXPECT_FALSE(flow().over());
    reset(0);
    EXPECT_TRUE(flow().reset[index(direction)]);
    ++ends.ue_port;
  }
}

TEST_F(UnacceptableSegmentTest, AmidAcceptableOnesTheyNeverAddUp) {
  live();
  for (int i = 0; i < 100; ++i) {
    down({.seq = 0x90000000, .ack = 201, .payload = 1000});
    up({.seq = 0x70000000, .ack = 2001, .payload = 1000});
    down({.seq = 2001, .ack = 201});
    up({.seq = 201, .ack = 2001});
  }
  expect_as_before();
}

TEST_F(UnacceptableSegmentTest, AcksOfDataThatNeverComeThisWayMakeTheFlowAsymmetric) {
  open();
  data(1001, 1000);
  for (std::uint32_t i = 0; i < 10; ++i, now += 100ms) {
    EXPECT_EQ(ack(2001 + 300 * (i + 1)).kind, AckKind::ahead);
    EXPECT_FALSE(flow().asymmetric);
  }
  const auto seen = ack(5001);
  EXPECT_EQ(seen.kind, AckKind::advance);
  EXPECT_TRUE(flow().asymmetric);
  EXPECT_EQ(flow().arrived, 4001);
  EXPECT_EQ(flow().dequeued, 4001);
  EXPECT_EQ(flow().pipe(), 0);
  EXPECT_EQ(flow().outstanding(), 0);
  EXPECT_EQ(ack(5501).newly, 500u) << "the next are believed at once";
  data(4001, 1000);
  EXPECT_TRUE(flow().asymmetric) << "data sent again tell nothing";
  data(5501, 1000);
  EXPECT_FALSE(flow().asymmetric) << "data go on from there";
  EXPECT_EQ(ack(6501).newly, 1000u);
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(UnacceptableSegmentTest, AcksAheadAmidDataAreNoSignOfAnotherWay) {
  open();
  for (std::uint32_t i = 0; i < 100; ++i, now += 100ms) {
    data(1001 + 1000 * i, 1000);
    EXPECT_EQ(ack(2001 + 1000 * i + 20'000).kind, AckKind::ahead);
  }
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(UnacceptableSegmentTest, AFlowWhoseDataAllGoAnotherWayStaysAsymmetric) {
  for (std::uint32_t i = 0; i < 50; ++i) {
    const auto seen = up({.seq = 101, .ack = 1001 + 1000 * i});
    EXPECT_EQ(flow().asymmetric, i > 0);
    EXPECT_EQ(seen.newly, i > 0 ? 1000u : 0u);
  }
  EXPECT_FALSE(flow().established) << "it could be anybody's";
}

TEST_F(UnacceptableSegmentTest, AFlowFirstSeenByItsDataIsFollowedButNotItsWindow) {
  data(500'001, 1000);
  EXPECT_TRUE(flow().anchored);
  EXPECT_EQ(flow().arrived, 1000);
  EXPECT_FALSE(flow().established);
  const auto before = ack(490'001);
  EXPECT_EQ(before.kind, AckKind::window_update) << "of data that were under way before";
  EXPECT_EQ(before.ack, -10'000);
  EXPECT_EQ(flow().forwarded_ack, -10'000);
  EXPECT_EQ(flow().pipe(), 11'000);
  EXPECT_EQ(ack(495'001).newly, 5000u);
  EXPECT_FALSE(flow().established) << "nothing that was seen is acknowledged yet";
  EXPECT_EQ(ack(501'001).newly, 6000u);
  EXPECT_TRUE(flow().established);
  EXPECT_FALSE(flow().scale_known());
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(UnacceptableSegmentTest, AFlowFirstSeenByAnAckIsFollowed) {
  EXPECT_EQ(ack(700'001).kind, AckKind::window_update);
  EXPECT_EQ(flow().acked, 0);
  data(700'001, 1000);
  const auto seen = ack(701'001);
  EXPECT_EQ(seen.kind, AckKind::advance);
  EXPECT_EQ(seen.newly, 1000u);
  EXPECT_TRUE(flow().established);
}

TEST_F(UnacceptableSegmentTest, AnUploadFirstSeenAmidItsDataIsFollowed) {
  down({.seq = 1001, .ack = 5001});
  down({.seq = 1001, .ack = 7001});
  EXPECT_FALSE(flow().established) << "the UE's data were not seen";
  up({.seq = 9001, .ack = 1001, .payload = 1000});
  down({.seq = 1001, .ack = 10'001});
  EXPECT_TRUE(flow().established);
  EXPECT_EQ(restarts, 0u);
}

TEST_F(UnacceptableSegmentTest, WhatCameFirstIsGivenUpForWhatFollowsWhileNothingIsProved) {
  down({.seq = 0x80000000, .ack = 101, .payload = 10});
  for (std::uint32_t i = 0; i < 3; ++i) data(1001 + 1000 * i, 1000);
  EXPECT_EQ(restarts, 1u);
  EXPECT_EQ(ack(4001).kind, AckKind::window_update);
  EXPECT_EQ(flow().outstanding(), 0);
}

TEST_F(UnacceptableSegmentTest, AResetInTheWindowEndsTheFlow) {
  live();
  down({.seq = 2001, .ack = 201, .flags = kRst | kAck});
  EXPECT_TRUE(flow().over());
}

TEST_F(UnacceptableSegmentTest, AResetOfTheUeEndsTheFlow) {
  live();
  EXPECT_EQ(up({.seq = 201, .flags = kRst}).kind, AckKind::rst);
  EXPECT_TRUE(flow().over());
}

TEST_F(UnacceptableSegmentTest, ABlindResetDoesNot) {
  live();
  for (const std::uint32_t off : {0x10000u, 0x40000000u, 0x80000000u, 0u - 1u}) {
    down({.seq = 2001 + off, .flags = kRst});
    down({.seq = 2001 + off, .ack = 201, .flags = kRst | kAck});
    EXPECT_EQ(up({.seq = 201 + off, .flags = kRst}).kind, AckKind::rst);
    expect_as_before();
  }
}

TEST_F(UnacceptableSegmentTest, AResetThatItsSenderGoesOnAfterWasNone) {
  live();
  down({.seq = 2001, .flags = kRst});
  ASSERT_TRUE(flow().over());
  data(2001, 1000);
  EXPECT_FALSE(flow().over());
  up({.seq = 201, .flags = kRst});
  data(3001, 1000);
  EXPECT_TRUE(flow().over()) << "the other end's data were on their way";
  up({.seq = 201, .ack = 4001, .payload = 10});
  EXPECT_FALSE(flow().over());
}

TEST_F(UnacceptableSegmentTest, ARefusalEndsAFlowThatHasOnlyASyn) {
  up({.seq = 100, .flags = kSyn});
  down({.seq = 0, .ack = 4711, .flags = kRst | kAck});
  EXPECT_FALSE(flow().over()) << "it does not answer the SYN";
  down({.seq = 0, .flags = kRst});
  EXPECT_FALSE(flow().over());
  down({.seq = 0, .ack = 101, .flags = kRst | kAck});
  EXPECT_TRUE(flow().over());
  up({.seq = 5100, .flags = kSyn});
  EXPECT_EQ(restarts, 1u) << "the UE tries again";
  EXPECT_FALSE(flow().over());
}

TEST_F(UnacceptableSegmentTest, TheUeMayRefuseToo) {
  down({.seq = 1000, .flags = kSyn});
  up({.seq = 0, .ack = 999, .flags = kRst | kAck});
  EXPECT_FALSE(flow().over());
  up({.seq = 0, .ack = 1001, .flags = kRst | kAck});
  EXPECT_TRUE(flow().over());
}

TEST_F(UnacceptableSegmentTest, AFlowThatBeginsWithAResetIsOver) {
  down({.seq = 5, .flags = kRst});
  EXPECT_TRUE(flow().over());
}

}  // namespace
}  // namespace dp
