// End markers that a tunnel's end repeats (dataplane/bearer/end_markers.h).
#include "dataplane/bearer/end_markers.h"

#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

class TunnelMarkersTest : public TunnelsTest {
 protected:
  std::size_t markers_out() const {
    std::size_t sum = 0;
    for (const SeenFrame& frame : out()) sum += frame.marker;
    return sum;
  }
};

TEST_F(TunnelMarkersTest, ARepeatedMarkerLeavesWithTheFirstBehindAllThatCameBefore) {
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(old_tunnel());
  marker(old_tunnel());
  gpdus(old_tunnel(), 2);
  marker(old_tunnel());
  EXPECT_EQ(book().markers(), 1u);
  run_for(200);
  const auto frames = out();
  ASSERT_EQ(frames.size(), 10u);
  for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i].marker, i >= 7) << i;
  EXPECT_EQ(worker->context().account.drops(), 0u);
}

TEST_F(TunnelMarkersTest, AStormOfMarkersTakesOneSlotAndABoundedNumberOfFrames) {
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 20);
  constexpr std::size_t kStorm = 10'000;
  for (std::size_t i = 0; i < kStorm; ++i) marker(old_tunnel());
  EXPECT_EQ(book().markers(), 1u);
  EXPECT_EQ(worker->context().account.held, EndMarkers::kMostAlike);
  EXPECT_EQ(worker->context().account.drops(), kStorm - EndMarkers::kMostAlike);
  run_for(500);
  EXPECT_EQ(markers_out(), EndMarkers::kMostAlike) << "a storm delays them no further";
  EXPECT_EQ(out().size(), 20 + EndMarkers::kMostAlike);
  EXPECT_TRUE(out().back().marker);
  EXPECT_EQ(worker->context().account.held, 0u);
}

TEST_F(TunnelMarkersTest, MarkersOfMoreBearersThanAPollLooksAtAllLeave) {
  constexpr std::uint32_t kBearers = 3 * EndMarkers::kLookedAt;
  worker = std::make_unique<BenchWorker>(clock, io, *shared,
                                         WorkerLimits{.max_bearers = kBearers, .gtp_u = &settings});
  for (std::uint32_t i = 0; i < kBearers; ++i) {
    const std::uint32_t ue = kTunnelUe.lo + i;
    add(ue_ipv4(ue), bearer_at(1'000'000));
    TunnelSpec tunnel = down(0x1000 + i, kOldCell);
    gpdus(tunnel, 3, Ip(ue));
    marker(tunnel);
  }
  EXPECT_EQ(book().markers(), kBearers);
  run_for(100);
  EXPECT_EQ(book().markers(), 0u);
  EXPECT_EQ(markers_out(), kBearers);
}

TEST_F(TunnelMarkersTest, AMarkerIsLastBehindBothAddressesOfAUe) {
  add(kTunnelUe, bearer_at(8'000'000));
  add(ue_ipv6_64(0x20010db800010002), bearer_at(1'000'000));
  gpdus(old_tunnel(), 4);
  for (int i = 0; i < 4; ++i)
    offer_frame(Side::core,
                tunnelled(old_tunnel(), {.src = "2001:db8:2::7", .dst = "2001:db8:1:2::7", .payload = 960}));
  gpdus(old_tunnel(), 4);
  marker(old_tunnel());
  EXPECT_EQ(book().tunnels(), 2u);
  run_for(200);
  EXPECT_EQ(out().size(), 13u);
  EXPECT_EQ(marker_at(), 12u);
}

TEST_F(TunnelMarkersTest, MarkersOfABearerThatGoesAreLostIfThePortHasNoSpace) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(old_tunnel());
  marker(old_tunnel());
  io.free_slots = 0;
  for (std::uint64_t i = 0; i < Egress::kCap; ++i)
    io.offer(Side::core, TestFrame(frame({.dst = Ip("10.45.0.3")}), Side::core));
  for (std::uint64_t i = 0; i < Egress::kCap; ++i) worker->poll_once();
  ASSERT_EQ(dropped(DropReason::egress_full), 0u);
  command(RemoveBearer{&bearer});
  EXPECT_EQ(book().markers(), 0u);
  EXPECT_EQ(dropped(DropReason::egress_full), 2u);
  io.free_slots = kBurst;
  settle();
  EXPECT_EQ(io.sent.size(), Egress::kCap + 5);
}

}  // namespace
}  // namespace dp::test
