// A chain of ACK stages, and the stages as it calls them (dataplane/ack/chain_stages.h).
#include "dataplane/ack/chain.h"

#include "tests/support/worker_bench.h"

namespace dp {
namespace {

using test::FrameSpec;

constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);

// ACKs leave 100 ms apart.
class AckChainTest : public test::WorkerBench {
 protected:
  static BearerSettings spaced(Duration apart = std::chrono::milliseconds(100)) {
    BearerSettings s = test::bearer_at(10'000'000);
    s.uplink.ack.stages = 1;
    s.uplink.ack.stage[0] = AckRate::Config{.mode = AckRate::Mode::spacing, .maxd = apart};
    return s;
  }
  void down(std::uint32_t seq, std::size_t payload, std::uint8_t flags = 0x10, std::uint16_t port = 80) {
    io.offer(Side::core, {.dst = "10.45.0.2",
                          .sport = port,
                          .dport = 40000,
                          .seq = seq,
                          .ack = 1,
                          .tcp_flags = flags,
                          .payload = payload});
    settle();
  }
  void up(std::uint32_t ack, std::size_t payload = 0, std::uint8_t flags = 0x10, std::uint16_t port = 80) {
    io.offer(Side::radio, {.src = "10.45.0.2",
                           .dst = "192.0.2.1",
                           .sport = 40000,
                           .dport = port,
                           .seq = 1,
                           .ack = ack,
                           .tcp_flags = flags,
                           .payload = payload});
    settle();
  }
  // The ACK numbers that have left for the core.
  std::vector<std::uint32_t> left() const {
    std::vector<std::uint32_t> out;
    for (const auto& sent : io.sent) {
      if (sent.side == Side::core) out.push_back(load32(sent.bytes.data() + 34 + 8));
    }
    return out;
  }
  void run_for(std::int64_t ms) { run_until(clock.now() + std::chrono::milliseconds(ms)); }
  std::uint64_t held() const { return worker->context().account.held; }
  std::uint64_t counted(AckEvent event) const {
    return shared->classes[0].acks.stages[0][index(event)].get();
  }
  using Numbers = std::vector<std::uint32_t>;
};

TEST_F(AckChainTest, HeldAcksLeaveInOrderAtTheirTime) {
  add(kUe, spaced());
  down(1001, 1000);
  down(2001, 1000);
  down(3001, 1000);
  run_for(10);
  up(2001), up(3001), up(4001);
  EXPECT_EQ(left(), (Numbers{2001}));
  EXPECT_EQ(held(), 2u);
  run_for(100);
  EXPECT_EQ(left(), (Numbers{2001, 3001}));
  run_for(100);
  EXPECT_EQ(left(), (Numbers{2001, 3001, 4001}));
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(counted(AckEvent::held), 2u);
  EXPECT_EQ(counted(AckEvent::released), 2u);
}

TEST_F(AckChainTest, CorruptUplinkSegmentsPassUntouchedAndMoveNothing) {
  Bearer& bearer = add(kUe, spaced());
  down(1001, 1000), down(2001, 1000), down(3001, 1000);
  run_for(10);
  up(2001), up(3001);
  ASSERT_EQ(held(), 1u);
  const Flow before = bearer.acks->flows().at(0);
  io.sent.clear();
  for (const std::size_t offset : {4, 8, 13, 14, 16, 20}) {
    test::TestFrame frame({.src = "10.45.0.2",
                           .dst = "192.0.2.1",
                           .sport = 40000,
                           .dport = 80,
                           .seq = 1,
                           .ack = 4001,
                           .payload = 10},
                          Side::radio);
    frame.bytes()[34 + offset] ^= std::byte{4};
    const test::Buffer came(frame.bytes().begin(), frame.bytes().end());
    io.offer(Side::radio, std::move(frame));
    settle();
    ASSERT_EQ(io.sent.size(), 1u) << offset;
    EXPECT_EQ(io.sent.front().bytes, came) << offset;
    io.sent.clear();
  }
  const Flow& after = bearer.acks->flows().at(0);
  EXPECT_EQ(after.acked, before.acked);
  EXPECT_EQ(after.ue.sent, before.ue.sent);
  EXPECT_EQ(after.advertised_edge, before.advertised_edge);
  EXPECT_EQ(held(), 1u);
  EXPECT_EQ(bearer.acks->flows().size(), 1u) << "nor is one opened";
  EXPECT_EQ(shared->classes[0].acks.corrupt.get(), 6u);
  run_for(1000);
}

TEST_F(AckChainTest, CorruptDownlinkSegmentsMoveNothing) {
  Bearer& bearer = add(kUe, spaced());
  down(1001, 1000);
  const auto corrupt = [&](std::uint32_t seq, std::uint8_t flags) {
    test::TestFrame frame({.dst = "10.45.0.2",
                           .sport = 80,
                           .dport = 40000,
                           .seq = seq,
                           .ack = 1,
                           .tcp_flags = flags,
                           .payload = 1000},
                          Side::core);
    frame.bytes()[34 + 30] ^= std::byte{4};
    io.offer(Side::core, std::move(frame));
    settle();
  };
  for (const std::uint8_t flags : {0x10, 0x11, 0x12, 0x14}) corrupt(500'000, flags);
  run_for(10);
  const Flow& flow = bearer.acks->flows().at(0);
  EXPECT_EQ(flow.arrived, 1000);
  EXPECT_EQ(flow.dequeued, 1000);
  EXPECT_FALSE(flow.finished[0] || flow.reset[0] || flow.syn[0].seen);
  EXPECT_EQ(shared->classes[0].acks.corrupt.get(), 4u);
  down(2001, 1000);
  EXPECT_EQ(flow.arrived, 2000);
  run_for(10);
}

TEST_F(AckChainTest, ResetOutOfTheWindowLetsGoOfNothing) {
  add(kUe, spaced());
  down(1001, 1000), down(2001, 1000);
  run_for(10);
  up(2001), up(3001);
  ASSERT_EQ(held(), 1u);
  down(0x70000000, 0, 0x14);
  EXPECT_EQ(held(), 1u);
  run_for(1000);
}

TEST_F(AckChainTest, DataSendsWhatIsHeldOfItsFlowFirst) {
  add(kUe, spaced());
  down(1001, 1000), down(2001, 1000), down(5001, 1000, 0x10, 81), down(6001, 1000, 0x10, 81);
  run_for(10);
  up(2001), up(6001, 0, 0x10, 81), up(3001);
  EXPECT_EQ(left(), (Numbers{2001}));
  up(3001, 10);
  EXPECT_EQ(left(), (Numbers{2001, 3001, 3001}));  // the other flow's waits on
  EXPECT_EQ(held(), 1u);
  run_for(1000);
}

TEST_F(AckChainTest, ResetOfTheSourceLetsGoOfTheFlowsAcks) {
  add(kUe, spaced());
  down(1001, 1000), down(2001, 1000);
  run_for(10);
  up(2001), up(3001);
  EXPECT_EQ(held(), 1u);
  down(3001, 0, 0x14);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(left(), (Numbers{2001, 3001}));
}

TEST_F(AckChainTest, AnotherModeSendsEverythingHeldBeforeAnyLaterFrame) {
  add(kUe, spaced());
  down(1001, 1000), down(2001, 1000), down(3001, 1000);
  run_for(10);
  up(2001), up(3001), up(4001);
  command(SetMode{Mode::bypass});
  up(4001);
  EXPECT_EQ(left(), (Numbers{2001, 3001, 4001, 4001}));
  EXPECT_EQ(held(), 0u);
}

TEST_F(AckChainTest, RemovedBearerTakesNoAckWithIt) {
  Bearer& bearer = add(kUe, spaced());
  down(1001, 1000), down(2001, 1000);
  run_for(10);
  up(2001), up(3001);
  command(RemoveBearer{&bearer});
  EXPECT_EQ(left(), (Numbers{2001, 3001}));
  EXPECT_EQ(shared->classes[0].acks.flows.get(), 0u);
  EXPECT_EQ(shared->classes[0].acks.held.get(), 0u);
}

TEST_F(AckChainTest, BlockKeepsWhatIsHeldAndTheTimeItHasToWait) {
  add(kUe, spaced());
  down(1001, 1000), down(2001, 1000);
  run_for(10);
  up(2001), up(3001);
  run_for(60);
  command(SetMode{Mode::block});
  run_for(1000);
  command(SetMode{Mode::inline_});
  run_for(30);
  EXPECT_EQ(held(), 1u);
  run_for(11);
  EXPECT_EQ(left(), (Numbers{2001, 3001}));
}

TEST_F(AckChainTest, OldestLeavesWhenTooManyAreHeld) {
  BearerSettings settings = spaced();
  settings.uplink.ack.max_held = 2;
  add(kUe, settings);
  for (std::uint32_t i = 1; i < 6; ++i) down(1000 * i + 1, 1000);
  run_for(10);
  for (std::uint32_t i = 2; i < 7; ++i) up(1000 * i + 1);
  EXPECT_EQ(left(), (Numbers{2001, 3001, 4001}));
  EXPECT_EQ(held(), 2u);
  EXPECT_EQ(counted(AckEvent::overflowed), 2u);
  run_for(1000);
}

TEST_F(AckChainTest, OtherStagesTakeOverTheFlowsAndNothingIsLost) {
  const BearerSettings one = spaced();
  Bearer& bearer = add(kUe, one);
  down(1001, 1000), down(2001, 1000), down(3001, 1000);
  run_for(10);
  up(2001), up(3001);
  BearerSettings none = one;
  none.uplink.ack = {};
  change(bearer, one, none);
  EXPECT_EQ(left(), (Numbers{2001, 3001}));
  EXPECT_EQ(bearer.acks, nullptr);
  up(4001);
  change(bearer, none, one);
  ASSERT_NE(bearer.acks, nullptr);
  EXPECT_EQ(bearer.acks->flows().size(), 0u);
  down(4001, 1000);
  run_for(10);
  up(5001);
  EXPECT_EQ(bearer.acks->flows().size(), 1u);
  BearerSettings more = one;
  more.uplink.ack.flows.flows = 7;
  change(bearer, one, more);
  EXPECT_EQ(bearer.acks->flows().size(), 1u);
  EXPECT_EQ(shared->classes[0].acks.flows.get(), 1u);
  EXPECT_EQ(left(), (Numbers{2001, 3001, 4001, 5001}));
}

TEST_F(AckChainTest, ParametersChangeInPlaceWhileAcksAreHeld) {
  const BearerSettings slow = spaced(), quick = spaced(std::chrono::milliseconds(1));
  Bearer& bearer = add(kUe, slow);
  AckChain* const chain = bearer.acks;
  down(1001, 1000), down(2001, 1000);
  run_for(10);
  up(2001), up(3001);
  change(bearer, slow, quick);
  EXPECT_EQ(bearer.acks, chain);
  EXPECT_EQ(held(), 1u);
  run_for(200);
  EXPECT_EQ(held(), 0u);
}

TEST_F(AckChainTest, AcksOfDataThatCameAnotherWayPassUntouched) {
  add(kUe, spaced());
  down(1001, 1000);
  run_for(10);
  up(2001), up(9001);
  for (const std::uint32_t ack : {10'001u, 11'001u, 12'001u}) run_for(400), up(ack);
  EXPECT_EQ(counted(AckEvent::stood_aside), 1u) << "once they have gone on for a second";
  up(12'001), up(15'001);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(left(), (Numbers{2001, 9001, 10001, 11001, 12001, 12001, 15001}));
  EXPECT_EQ(counted(AckEvent::stood_aside), 3u);
}

}  // namespace
}  // namespace dp
