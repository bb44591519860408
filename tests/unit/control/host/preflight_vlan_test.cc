// Preflight of AF_XDP ports and the VLAN tags that the kernel keeps beside frames.
#include <gtest/gtest.h>

#include "control/host/preflight.h"

namespace control {
namespace {

class PreflightVlanTest : public ::testing::Test {
 protected:
  PreflightVlanTest() {
    settings.devices = {"null", "af_xdp:d1"};
    settings.huge_pages = false;
    settings.memory_bytes = std::uint64_t{100} << 20;
    settings.cpus = {0};
    radio() = {.exists = true, .up = true, .driver = "ixgbe", .mtu = 1500};
    host.capabilities = {true, true, true, true, true, true};
    host.memory_available = std::uint64_t{1000} << 20;
    host.cpus = {0};
    host.kernel = "6.1.0-18-amd64";
  }
  InterfaceFacts& radio() { return host.ports[1].interface; }
  Judgement judged() const { return judge(settings, MemoryEstimate{.bearers = 100}, host); }
  std::string only() const {
    const Judgement judgement = judged();
    EXPECT_EQ(judgement.complaints.size(), 1u);
    EXPECT_EQ(judgement.exit_code(), 4);
    return judgement.complaints.empty() ? "" : judgement.complaints[0].text;
  }

  dp::dpdk::Settings settings;
  HostFacts host;
};

TEST_F(PreflightVlanTest, ADriverThatTakesTagsOutOfReceivedFramesIsRefusedWithTheCommand) {
  EXPECT_EQ(judged().exit_code(), 0);
  radio().rx_vlan_off = "rxvlan off rx-vlan-stag-hw-parse off";
  EXPECT_EQ(
      only(),
      "port radio (af_xdp:d1): found receive VLAN offload on, needs it off: its driver does not give the "
      "VLAN tags beside frames to XDP programs (veth: Linux 6.8), and AF_XDP would forward frames without "
      "them; run: ethtool -K d1 rxvlan off rx-vlan-stag-hw-parse off, or use af_packet:d1");
}

TEST_F(PreflightVlanTest, ADriverThatGivesTagsToXdpProgramsMayTakeThemOut) {
  radio().gives_vlan_tags = true;
  radio().rx_vlan_off = "rxvlan off";
  EXPECT_EQ(judged().exit_code(), 0);
  radio().driver = "veth";
  radio().peer = "r0";
  radio().peer_tx_vlan_off = "txvlan off";
  EXPECT_EQ(judged().exit_code(), 0);
}

TEST_F(PreflightVlanTest, AVethPeerThatLeavesTagsOutIsRefusedWithTheCommandForIt) {
  radio().driver = "veth";
  radio().rx_vlan_off = "rxvlan off";  // does not matter for frames from the peer
  radio().peer = "r0";
  radio().peer_gro = true;
  EXPECT_EQ(judged().exit_code(), 0);
  radio().peer_tx_vlan_off = "txvlan off";
  const std::string text = only();
  EXPECT_NE(text.find("transmit VLAN offload on at its veth peer r0"), std::string::npos) << text;
  EXPECT_NE(text.find("run: ethtool -K r0 txvlan off, or use af_packet:d1"), std::string::npos) << text;
}

TEST_F(PreflightVlanTest, AVethPeerOutOfSightIsAHintWithTheCommandAndNoneWhereTagsAreGiven) {
  radio().driver = "veth";
  ASSERT_EQ(judged().hints.size(), 1u);
  EXPECT_EQ(judged().exit_code(), 0);
  const std::string text = judged().hints[0];
  EXPECT_NE(text.find("run there: ethtool -K PEER txvlan off"), std::string::npos) << text;
  radio().gives_vlan_tags = true;
  EXPECT_TRUE(judged().hints.empty());
}

TEST_F(PreflightVlanTest, AnInterfaceUponOthersIsRefusedUnlessItIsAVlanDevice) {
  radio().stacked = true;
  radio().driver = "macvlan";
  EXPECT_EQ(
      only(),
      "port radio (af_xdp:d1): found an interface upon others (macvlan), needs one without: the kernel takes "
      "VLAN tags out of frames before they come to it, and AF_XDP would forward frames without them; name "
      "the "
      "interface below it, or use af_packet:d1");
  radio().driver = "802.1Q VLAN Support";
  EXPECT_EQ(judged().exit_code(), 0);
}

TEST_F(PreflightVlanTest, PacketSocketsHaveTheTagsWhateverTheDriverDoes) {
  settings.devices[1] = "af_packet:d1";
  radio().rx_vlan_off = "rxvlan off";
  radio().stacked = true;
  EXPECT_EQ(judged().exit_code(), 0);
}

}  // namespace
}  // namespace control
