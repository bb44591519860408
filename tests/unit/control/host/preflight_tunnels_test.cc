// Hints of preflight at interfaces that carry tunnels.
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <malloc.h>

#include "control/host/memory.h"
#include "control/host/preflight.h"
#include "dataplane/bearer/tunnel_book.h"

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

TEST_F(PreflightTunnelsTest, TheBooksOfTheWorkersAreInTheMemoryEstimate) {
  config::Config config;
  dp::dpdk::Settings settings;
  settings.workers = 3;
  settings.max_bearers = 100'000;
  settings.huge_pages = true;
  host.memory_available = 3 * dp::TunnelBook::bytes_for(100'000) - 1;
  host.huge_page_bytes_free = std::uint64_t{1} << 40;
  const auto complaints = [&] {
    std::string text;
    for (const Complaint& one : judge(settings, estimate_memory(config), host).complaints) text += one.text;
    return text;
  };
  EXPECT_EQ(complaints().find("memory"), std::string::npos) << complaints();
  config.dataplane.gtp_u = gtp_u;
  EXPECT_NE(complaints().find("(workers' books of tunnels 49 MiB); ask for fewer bearers, lower "
                              "dataplane.max_bearers, or free memory"),
            std::string::npos)
      << complaints();
  EXPECT_NE(memory_text(settings, estimate_memory(config)).find("workers' books of tunnels"),
            std::string::npos);
  ++host.memory_available;
  EXPECT_EQ(complaints().find("memory"), std::string::npos) << complaints();
}

// The sanitizers' allocators are not what mallinfo2() reads.
#if !defined(DP_SANITIZE_ADDRESS) && !defined(DP_SANITIZE_THREAD)
TEST(TunnelBookMemory, ABookTakesWhatIsEstimated) {
  for (const std::size_t bearers : {1'000u, 65'536u, 100'000u}) {
    const auto allocated = [] {
      const auto info = mallinfo2();
      return info.uordblks + info.hblkhd;
    };
    const std::size_t before = allocated();
    const auto book = std::make_unique<dp::TunnelBook>(bearers, 1);
    const double taken = static_cast<double>(allocated() - before);
    EXPECT_NEAR(taken / static_cast<double>(dp::TunnelBook::bytes_for(bearers)), 1, 0.02) << bearers;
  }
}
#endif

}  // namespace
}  // namespace control
