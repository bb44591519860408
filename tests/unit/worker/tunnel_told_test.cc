// Tunnels that control tells a worker (dataplane/bearer/tunnel_told.h): no frame of them need have come.
#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

class TunnelToldTest : public TunnelsTest {
 protected:
  TunnelTold tell(Bearer& bearer, const TunnelSpec& to, OnHandover way = OnHandover::rewrite) {
    Buffer frame = tunnelled(to, {.dst = "10.45.0.2"});
    TestFrame made(frame, Side::core);
    parse_any(made.sdu(), &settings);
    const std::uint8_t qfi = to.qfi.value_or(GtpUChain::kNoQfi);
    return command(SetTunnel{&bearer, Direction::downlink, tunnel_key(made.sdu()), qfi, way}).told;
  }
};

TEST_F(TunnelToldTest, AToldTunnelIsShownBeforeAFrameComesAndItsFramesAreNoChange) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  TunnelSpec with_qfi = new_tunnel();
  with_qfi.qfi = 9;
  EXPECT_EQ(tell(bearer, with_qfi), TunnelTold::changed);
  EXPECT_EQ(tell(bearer, with_qfi), TunnelTold::unchanged);
  const auto read = bearer.tunnel(Direction::downlink).read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key.teid, kNewTeid);
  EXPECT_EQ(read->qfi, 9);
  gpdus(with_qfi, 2);
  run_for(100);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->changes, 0u);
  EXPECT_EQ(book().changed(), 0u);
  EXPECT_EQ(book().tunnels(), 1u);
}

TEST_F(TunnelToldTest, FramesThatWaitLeaveInTheToldTunnelAndTheMarkerOfTheOldOneAtOnce) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 10);
  EXPECT_EQ(tell(bearer, new_tunnel()), TunnelTold::rewritten);
  marker(old_tunnel());
  run_for(0);
  EXPECT_EQ(marker_at(), 0u);
  run_for(200);
  const auto frames = out();
  ASSERT_EQ(frames.size(), 11u);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].teid, kNewTeid);
    EXPECT_EQ(frames[i].address, 0xc000020cu);
  }
  expect_in_order();
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->changes, 1u);
  EXPECT_EQ(book().changed(), 1u);
}

TEST_F(TunnelToldTest, WhatWaitsHasTheChecksumsAndTheQfiOfTheToldTunnel) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  TunnelSpec from = old_tunnel(), to = new_tunnel();
  from.qfi = 5;
  to.qfi = 9;
  gpdus(from, 3);
  EXPECT_EQ(tell(bearer, to), TunnelTold::rewritten);
  run_for(200);
  ASSERT_EQ(io.sent.size(), 3u);
  std::uint32_t seq = 0;
  for (const auto& sent : io.sent) {
    const FrameSpec user{.src = "198.51.100.7", .dst = "10.45.0.2", .seq = ++seq, .payload = 960};
    EXPECT_EQ(sent.bytes, tunnelled(to, user)) << "as a sender to that tunnel makes it";
  }
}

TEST_F(TunnelToldTest, WhatCannotBeRewrittenLeavesAtOnceInOrder) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  EXPECT_EQ(tell(bearer, {.src = "2001:db8:1::1", .dst = "2001:db8:1::2", .teid = kNewTeid}),
            TunnelTold::sent);
  EXPECT_EQ(out().size(), 5u);
  gpdus(old_tunnel(), 5);
  TunnelSpec session = new_tunnel();
  session.qfi = 9;
  EXPECT_EQ(tell(bearer, session), TunnelTold::sent);
  for (const SeenFrame& frame : out()) EXPECT_EQ(frame.teid, kOldTeid);
  EXPECT_EQ(out().size(), 10u);
  expect_in_order();
}

TEST_F(TunnelToldTest, KeepAndSendAreChosenByTheTeller) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  EXPECT_EQ(tell(bearer, new_tunnel(), OnHandover::keep), TunnelTold::kept);
  EXPECT_TRUE(out().empty());
  EXPECT_EQ(tell(bearer, old_tunnel(), OnHandover::send), TunnelTold::sent);
  ASSERT_EQ(out().size(), 5u);
  EXPECT_EQ(out().front().teid, kOldTeid);
}

TEST_F(TunnelToldTest, AStandstillSendsNothing) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  command(SetMode{Mode::block});
  EXPECT_EQ(tell(bearer, new_tunnel(), OnHandover::send), TunnelTold::kept);
  EXPECT_TRUE(out().empty());
  EXPECT_EQ(worker->context().account.drops(), 0u);
  command(SetMode{Mode::inline_});
  run_for(200);
  EXPECT_EQ(out().size(), 5u);
}

TEST_F(TunnelToldTest, OtherPacketsShowThatTheToldTunnelIsNotUsedAfterASecond) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  gpdus(old_tunnel(), 1);
  EXPECT_EQ(tell(bearer, new_tunnel()), TunnelTold::rewritten);
  run_for(500);
  gpdus(old_tunnel(), 1);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).key().teid, kNewTeid) << "a late packet is none";
  run_for(600);
  gpdus(old_tunnel(), 1);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).key().teid, kOldTeid);
  run_for(100);
}

}  // namespace
}  // namespace dp::test
