#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/parse_tunnel.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {
namespace {

TEST(YardstickTraffic, AddressesOfAsManyBearersAsThereMayBeDiffer) {
  std::vector<bool> seen(1u << 24);
  for (std::uint32_t bearer = 0; bearer < kMaxBearers; ++bearer) {
    const std::uint32_t address = ue_address_of(bearer);
    ASSERT_EQ(address >> 24, 10u);
    ASSERT_FALSE(seen[address & 0xffffff]) << bearer;
    seen[address & 0xffffff] = true;
  }
}

TEST(YardstickTraffic, SameSeedGivesTheSameOrderAndAnotherSeedAnother) {
  FrameWriter one({.bearers = 1000, .seed = 5}), same({.bearers = 1000, .seed = 5}),
      other({.bearers = 1000, .seed = 6});
  int differences = 0;
  for (int i = 0; i < 100; ++i) {
    const auto bearer = one.next_bearer();
    EXPECT_EQ(bearer, same.next_bearer());
    differences += bearer != other.next_bearer();
  }
  EXPECT_GT(differences, 50);
}

TEST(YardstickTraffic, EveryBearerIsChosenAboutEquallyOften) {
  FrameWriter writer({.bearers = 10, .seed = 1});
  std::array<int, 10> count{};
  for (int i = 0; i < 10'000; ++i) ++count.at(writer.next_bearer());
  for (const int n : count) EXPECT_NEAR(n, 1000, 150);
}

TEST(YardstickTraffic, AFrameParsesAsATcpPacketToItsUe) {
  for (const std::uint32_t size : {64u, 1500u}) {
    std::vector<std::byte> bytes(size);
    FrameWriter writer({.bearers = 1, .frame_bytes = size});
    writer.write(bytes.data());
    Sdu sdu{};
    sdu.data = bytes.data();
    sdu.frame_len = sdu.head_len = size;
    parse(sdu);
    EXPECT_EQ(sdu.kind, FrameKind::ip);
    EXPECT_EQ(sdu.ip_len, size - 14);
    EXPECT_EQ(sdu.l4_protocol, 6);
    EXPECT_EQ(ue_address(sdu, Direction::downlink).lo, ue_address_of(0));
  }
}

TEST(YardstickTraffic, AFrameInATunnelParsesAsATcpPacketToItsUe) {
  for (const Encap encap : {Encap::gtp_u, Encap::gtp_u_5g}) {
    const Traffic traffic{.bearers = 300, .frame_bytes = 100, .encap = encap};
    const GtpUSettings settings{.peers = {{*parse_prefix("192.0.2.0/24")}}};
    PlainTunnels tunnels;
    tunnels.set(&settings);
    std::vector<std::byte> bytes(traffic.wire_bytes());
    FrameWriter writer(traffic), same(traffic);
    for (int i = 0; i < 100; ++i) {
      writer.write(bytes.data());
      Sdu sdu{};
      sdu.data = bytes.data();
      sdu.frame_len = sdu.head_len = traffic.wire_bytes();
      EXPECT_EQ(parse_any(sdu, &settings), GtpUVerdict::peeled);
      EXPECT_TRUE(parse_tunnel(sdu, tunnels));
      EXPECT_EQ(sdu.ip_len, traffic.ip_bytes());
      EXPECT_EQ(sdu.l3_offset, 14 + traffic.tunnel_bytes());
      const std::uint32_t bearer = same.next_bearer();
      EXPECT_EQ(ue_address(sdu, Direction::downlink).lo, ue_address_of(bearer));
      EXPECT_EQ(GtpUView{bytes.data() + 42}.teid(), bearer + 1);
    }
  }
}

TEST(YardstickTraffic, BelowTheRateABearerMaySendMoreThanItIsOfferedAndAboveItLess) {
  const Traffic below{.bearers = 100, .load = Load::below}, above{.bearers = 100, .load = Load::above};
  EXPECT_GT(below.bearer_frames_per_second() * 100, below.frames_per_second);
  EXPECT_LT(above.bearer_frames_per_second() * 100, above.frames_per_second);
}

}  // namespace
}  // namespace dp::yardstick
