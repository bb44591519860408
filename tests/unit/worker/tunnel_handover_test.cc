// Handovers: the downlink tunnel of a bearer changes while SDUs wait (dataplane/bearer/tunnel_book.h).
#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

TEST_F(TunnelsTest, RewriteGivesWaitingFramesTheNewTunnelInTenHandoversAndLosesNone) {
  start(OnHandover::rewrite);
  Bearer& bearer = add(kTunnelUe, bearer_at(4'000'000));
  gpdus(old_tunnel(), 10);
  for (int handover = 0; handover < 10; ++handover) {
    io.sent.clear();
    const bool back = handover % 2 == 1;
    const TunnelSpec from = back ? new_tunnel() : old_tunnel(), to = back ? old_tunnel() : new_tunnel();
    const std::uint32_t first = number + 1 - 10, last = number;
    gpdus(to, 10);
    marker(from);
    run_for(0);
    ASSERT_EQ(marker_at(), 0u) << "it leaves at once";
    run_for(22);
    gpdus(to, 1);
    run_for(1200);
    const auto frames = out();
    ASSERT_EQ(frames.size(), 22u) << handover;
    for (std::size_t i = 1; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].number, first + i - 1);
      EXPECT_EQ(frames[i].teid, to.teid)
          << "frame " << frames[i].number << ", those that waited end at " << last;
      EXPECT_EQ(frames[i].address, back ? 0xc000020bu : 0xc000020cu);
    }
    gpdus(to, 10);
  }
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->changes, 10u);
  EXPECT_EQ(worker->context().account.drops(), 0u);
  run_for(1000);
}

TEST_F(TunnelsTest, SendLetsWaitingFramesLeaveAtOnceAndTheMarkerBehindThem) {
  start(OnHandover::send);
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(old_tunnel());
  EXPECT_TRUE(out().empty());
  gpdus(new_tunnel(), 2);
  EXPECT_EQ(out().size(), 6u);
  EXPECT_EQ(marker_at(), 5u);
  run_for(1000);
  EXPECT_EQ(out().size(), 8u);
  expect_in_order();
}

TEST_F(TunnelsTest, RewriteSendsWhatHasHeadersOfAnotherLength) {
  start(OnHandover::rewrite);
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  TunnelSpec session = new_tunnel();
  session.qfi = 9;
  gpdus(session, 1);
  const auto frames = out();
  ASSERT_EQ(frames.size(), 5u);
  for (const SeenFrame& frame : frames) EXPECT_EQ(frame.teid, kOldTeid);
  run_for(1000);
}

}  // namespace
}  // namespace dp::test
