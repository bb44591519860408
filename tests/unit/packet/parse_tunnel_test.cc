// The fast path in tunnels must give the result of the general one for each frame.
#include "dataplane/packet/parse_tunnel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "dataplane/packet/parse.h"
#include "tests/support/runs.h"
#include "tests/support/tunnels.h"

namespace dp {
namespace {

using test::Buffer;
using test::TunnelSpec;

constexpr std::size_t kOuterIp = 14, kUdp = 34, kGtp = 42, kBareInner = 50, kSessionInner = 58;

GtpUSettings settings_with_networks() {
  GtpUSettings settings;
  settings.peers = {{*parse_prefix("2001:db8:1::/48")},
                    {*parse_prefix("192.0.2.2/32"), 3},
                    {*parse_prefix("192.0.2.0/30")},
                    {*parse_prefix("192.0.2.128/25"), 4}};
  settings.ports = {2152, 2153};
  return settings;
}

// 40 octets of TCP over IPv4 with options in the TCP header, and `behind` octets behind the packet.
Buffer plain_tunnel(bool session, Buffer tcp_options = Buffer(8), std::size_t behind = 0) {
  TunnelSpec tunnel{.behind = behind};
  if (session) tunnel.qfi = 9;
  return test::tunnelled(tunnel, {.tcp_options = std::move(tcp_options), .payload = 12});
}

struct PeelTwins {
  GtpUSettings settings = settings_with_networks();
  mutable PlainTunnels tunnels;

  PeelTwins() { tunnels.set(&settings); }

  // True if the fast path took it.
  bool expect_same(Bytes bytes, std::uint32_t frame_len) const {
    test::TestFrame frame(bytes);
    frame.sdu().frame_len = frame_len;
    frame.sdu().flow = 7;
    Sdu fast = frame.sdu(), general = fast;
    const GtpUVerdict verdict = parse_any(general, &settings);
    if (!parse_tunnel(fast, tunnels)) return false;
    EXPECT_EQ(verdict, GtpUVerdict::peeled);
    EXPECT_EQ(std::memcmp(&fast, &general, sizeof fast), 0);
    return true;
  }
  bool expect_same(Bytes bytes) const { return expect_same(bytes, static_cast<std::uint32_t>(bytes.size())); }
};

TEST(ParseTunnel, FindsThePlainTunnel) {
  const PeelTwins twins;
  for (const bool session : {false, true}) {
    for (const unsigned tos : {0x00u, 0x03u, 0xb8u}) {
      for (const unsigned outer_flags : {0x00u, 0x40u}) {
        Buffer frame = plain_tunnel(session);
        const std::size_t inner = session ? kSessionInner : kBareInner;
        frame[kOuterIp + 1] = frame[inner + 1] = static_cast<std::byte>(tos);
        frame[kOuterIp + 6] = static_cast<std::byte>(outer_flags);
        EXPECT_TRUE(twins.expect_same(frame)) << session << " " << tos << " " << outer_flags;
      }
    }
  }
}

TEST(ParseTunnel, LeavesPacketsWithBytesBehindToTheGeneralWay) {
  const PeelTwins twins;
  for (const bool session : {false, true})
    EXPECT_FALSE(twins.expect_same(plain_tunnel(session, Buffer(8), 3)));
}

TEST(ParseTunnel, GivesTheResultOfTheGeneralWayForEachByteOfTheHeaders) {
  const PeelTwins twins;
  std::size_t taken = 0;
  for (const bool session : {false, true}) {
    const Buffer whole = plain_tunnel(session);
    for (std::size_t at = 0; at < (session ? kSessionInner : kBareInner) + 40; ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        Buffer frame = whole;
        frame[at] = static_cast<std::byte>(value);
        taken += twins.expect_same(frame);
        ASSERT_FALSE(HasFailure()) << "byte " << at << " is " << value;
      }
    }
  }
  EXPECT_GT(taken, 10'000u);
}

TEST(ParseTunnel, GivesTheResultOfTheGeneralWayForEachLength) {
  const PeelTwins twins;
  std::size_t taken = 0;
  for (const bool session : {false, true}) {
    const Buffer whole = plain_tunnel(session);
    for (std::uint32_t head = 1; head <= whole.size(); ++head) {
      for (std::uint32_t more = 0; more <= whole.size() - head + 4; ++more) {
        taken += twins.expect_same(Bytes(whole).first(head), head + more);
        ASSERT_FALSE(HasFailure()) << head << " " << more;
      }
    }
  }
  EXPECT_GT(taken, 100u);
}

TEST(ParseTunnel, GivesTheResultOfTheGeneralWayForLengthsThatContradictEachOther) {
  const PeelTwins twins;
  std::size_t taken = 0;
  for (const bool session : {false, true}) {
    const std::size_t inner = session ? kSessionInner : kBareInner;
    const Buffer whole = plain_tunnel(session);
    const std::array lengths{kOuterIp + 2, kUdp + 4, kGtp + 2, inner + 2};
    for (unsigned changed = 1; changed < 1u << lengths.size(); ++changed) {
      for (int by = -64; by <= 64; ++by) {
        Buffer frame = whole;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
          std::byte* const length = frame.data() + lengths[i];
          if ((changed >> i & 1) != 0) store16(length, static_cast<std::uint16_t>(load16(length) + by));
        }
        taken += twins.expect_same(frame);
        ASSERT_FALSE(HasFailure()) << changed << " " << by;
      }
    }
  }
  // Those that agree: unchanged, or all shorter as far as the payload goes.
  EXPECT_EQ(taken, 2u * (15 + 12));
}

TEST(ParseTunnel, GivesTheResultOfTheGeneralWayForDamagedFrames) {
  const PeelTwins twins;
  std::mt19937 rng(1);
  std::size_t taken = 0;
  const std::uint32_t rounds = std::max(5'000u, test::runs_of(200'000));
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const bool session = rng() % 2 == 0;
    Buffer frame = plain_tunnel(session);
    for (unsigned changes = rng() % 4; changes > 0; --changes)
      frame[rng() % frame.size()] = static_cast<std::byte>(rng());
    frame.resize(frame.size() - rng() % 8);
    taken += twins.expect_same(frame, static_cast<std::uint32_t>(frame.size() + rng() % 8));
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(taken, rounds / 20);
}

TEST(ParseTunnel, IsOnlyBetweenPeersAndToThePort) {
  const PeelTwins twins;
  const auto takes = [&](const TunnelSpec& spec) { return twins.expect_same(test::tunnelled(spec, {})); };
  EXPECT_TRUE(takes({.src = "192.0.2.200", .dst = "192.0.2.3"}));
  EXPECT_TRUE(takes({.src = "192.0.2.3", .dst = "192.0.2.200"}));
  EXPECT_FALSE(takes({.dst = "192.0.2.4"}));
  EXPECT_FALSE(takes({.src = "192.0.2.4"}));
  EXPECT_FALSE(takes({.dport = 2153}));  // left to the general way
}

TEST(PlainTunnels, KnowNobodyWithoutSettingsAndLeaveThePortsOfBfd) {
  const Buffer frame = plain_tunnel(false);
  const std::byte *const port = frame.data() + kUdp + 2, *const addresses = frame.data() + kOuterIp + 12;
  GtpUSettings settings = settings_with_networks();
  PlainTunnels tunnels;
  tunnels.set(&settings);
  EXPECT_TRUE(tunnels.is_port(port));
  ASSERT_NE(tunnels.find(addresses), nullptr);
  EXPECT_EQ(tunnels.find(addresses)->network, 3);
  tunnels.set(nullptr);
  EXPECT_FALSE(tunnels.is_port(port));
  EXPECT_EQ(tunnels.find(addresses), nullptr);
  settings.ports = {3784};
  tunnels.set(&settings);
  const Buffer to_bfd = test::tunnelled({.dport = 3784}, {});
  EXPECT_FALSE(tunnels.is_port(to_bfd.data() + kUdp + 2));
}

TEST(PlainTunnels, TellManyPairsApart) {
  GtpUSettings settings;
  settings.peers = {{*parse_prefix("10.1.0.0/16"), 1}, {*parse_prefix("10.2.0.0/16"), 2}};
  PlainTunnels tunnels;
  tunnels.set(&settings);
  std::mt19937 rng(1);
  for (int round = 0; round < 100'000; ++round) {
    const std::uint32_t to = 0x0a000000 | rng() % 4 << 16 | rng() % 3000;
    std::array<std::byte, 8> addresses;
    store32(addresses.data(), 0x0a010001);
    store32(addresses.data() + 4, to);
    const auto* const pair = tunnels.find(addresses.data());
    const std::uint32_t network = to >> 16 & 0xff;
    ASSERT_EQ(pair != nullptr, network == 1 || network == 2) << to;
    if (pair != nullptr) {
      ASSERT_EQ(pair->network, network);
    }
  }
}

TEST(PlainTunnels, FindNothingInSlotsThatAreEmpty) {
  GtpUSettings settings;
  settings.peers = {{*parse_prefix("10.0.0.0/8")}};
  PlainTunnels tunnels;
  tunnels.set(&settings);
  for (const std::uint64_t pair : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    std::array<std::byte, 8> addresses;
    std::memcpy(addresses.data(), &pair, sizeof pair);
    EXPECT_EQ(tunnels.find(addresses.data()), nullptr) << pair;
  }
}

TEST(PlainTunnels, NeverFindAGroup) {
  GtpUSettings settings;
  settings.peers = {{*parse_prefix("0.0.0.0/0")}};
  PlainTunnels tunnels;
  tunnels.set(&settings);
  std::array<std::byte, 8> addresses;
  addresses.fill(std::byte{0xff});
  EXPECT_EQ(tunnels.find(addresses.data()), nullptr);
  addresses[4] = std::byte{0xe0};
  EXPECT_EQ(tunnels.find(addresses.data()), nullptr);
  addresses[4] = std::byte{0xdf};
  EXPECT_NE(tunnels.find(addresses.data()), nullptr);
}

}  // namespace
}  // namespace dp
