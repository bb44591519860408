// Hints of preflight at interfaces that carry tunnels.
#include <gtest/gtest.h>

#include "control/host/preflight.h"

namespace control {
namespace {

class PreflightTunnelsTest : public ::testing::Test {
 protected:
  PreflightTunnelsTest() {
    for (PortFacts& port : host.ports) port.interface = {.exists = true, .mtu = 1600};
    gtp_u.peers = {{*dp::parse_prefix("192.0.2.0/24")}};
  }
  std::vector<std::string> hints() const {
    Judgement judgement;
    judge_tunnels(gtp_u, {"af_packet:d0", "af_xdp:d1"}, host, judgement);
    EXPECT_EQ(judgement.exit_code(), 0);
    return judgement.hints;
  }

  config::GtpU gtp_u;
  HostFacts host;
};

TEST_F(PreflightTunnelsTest, AnMtuBelowAFullPacketInATunnelIsAHintWithTheCommand) {
  EXPECT_TRUE(hints().empty());
  host.ports[1].interface.mtu = 1500;
  ASSERT_EQ(hints().size(), 1u);
  EXPECT_EQ(
      hints()[0],
      "port radio (af_xdp:d1): found MTU 1500, needs 1544 for users' packets of 1500 bytes in tunnels "
      "over IPv4 (dataplane.gtp_u): 36 for the headers, and 8 with a PDU session container or a sequence "
      "number. Larger frames are lost, or come in fragments, which cross unshaped; run: ip link set dev "
      "d1 mtu 1544, and the same at the other end");
  host.ports[1].interface.mtu = 1544;
  EXPECT_TRUE(hints().empty());
}

TEST_F(PreflightTunnelsTest, OverIpv6ItIsTwentyMore) {
  gtp_u.peers.push_back({*dp::parse_prefix("2001:db8:1::/48")});
  host.ports[0].interface.mtu = 1563;
  host.ports[1].interface.mtu = 1564;
  ASSERT_EQ(hints().size(), 1u);
  EXPECT_NE(hints()[0].find("port core (af_packet:d0): found MTU 1563, needs 1564"), std::string::npos)
      << hints()[0];
  EXPECT_NE(hints()[0].find("over IPv6"), std::string::npos);
}

TEST_F(PreflightTunnelsTest, APortWithoutAKernelInterfaceHasNoMtu) {
  host.ports[0].interface.mtu = 0;
  EXPECT_TRUE(hints().empty());
}

}  // namespace
}  // namespace control
