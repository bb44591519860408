// Two UEs with one address behind two gateways, whose networks nobody has named (TunnelBook::learn).
#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

class TunnelGatewayTest : public TunnelsTest {
 protected:
  static constexpr const char* kOtherGateway = "192.0.2.9";
  static TunnelSpec of_other_ue() { return {.src = kOtherGateway, .dst = kNewCell, .teid = kNewTeid}; }

  void up_by(const char* gateway, std::uint32_t teid) {
    offer_frame(Side::radio, tunnelled({.src = kOldCell, .dst = gateway, .teid = teid},
                                       {.src = "10.45.0.2", .dst = "198.51.100.7"}));
    settle();
  }
  std::uint64_t refused(Side side) const {
    return worker->context().account.passed[index(side)][index(PassReason::gtp_u_gateway)].frames;
  }
};

TEST_F(TunnelGatewayTest, PacketsOfTheOtherUePassAndChangeNothing) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  for (int i = 0; i < 10; ++i) {
    gpdus(old_tunnel(), 1);
    gpdus(of_other_ue(), 1);
    up_by("192.0.2.1", kUplinkTeid);
    up_by(kOtherGateway, kUplinkTeid + 1);
    run_for(20);
  }
  EXPECT_EQ(refused(Side::core), 10u);
  EXPECT_EQ(refused(Side::radio), 10u);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->key.teid, kOldTeid);
  EXPECT_EQ(bearer.tunnel(Direction::uplink).read()->key.teid, kUplinkTeid);
  EXPECT_EQ(book().changed(), 0u);
  EXPECT_EQ(out().size(), 20u) << "nothing is lost";
}

TEST_F(TunnelGatewayTest, AnotherGatewayIsLearntOnceTheFirstIsSilent) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  gpdus(old_tunnel(), 1);
  run_for(Tunnel::kLate / std::chrono::milliseconds(1) + 100);
  gpdus(of_other_ue(), 2);
  EXPECT_EQ(refused(Side::core), 0u);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->key.teid, kNewTeid);
  EXPECT_EQ(book().changed(), 1u);
}

TEST_F(TunnelGatewayTest, AHandoverToAnotherCellOfTheSameGatewayIsLearntAtOnce) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 1);
  gpdus(new_tunnel(), 1);
  EXPECT_EQ(refused(Side::core), 0u);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->key.teid, kNewTeid);
}

TEST_F(TunnelGatewayTest, ATunnelThatIsToldMayBeAnyGateways) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  up_by("192.0.2.1", kUplinkTeid);
  command(SetTunnel{&bearer,
                    Direction::uplink,
                    {0, 0xc0000209, kUplinkTeid + 1, false},
                    GtpUChain::kNoQfi,
                    OnHandover::keep});
  up_by(kOtherGateway, kUplinkTeid + 1);
  EXPECT_EQ(refused(Side::radio), 0u);
  EXPECT_EQ(bearer.tunnel(Direction::uplink).read()->key.teid, kUplinkTeid + 1);
}

}  // namespace
}  // namespace dp::test
