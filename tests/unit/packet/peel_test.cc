#include "dataplane/packet/peel.h"

#include <gtest/gtest.h>

#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/parse.h"
#include "tests/support/tunnels.h"

namespace dp {
namespace {

using test::bytes;
using test::TestFrame;
using test::tunnelled;
using test::tunnelled_packet;
using test::TunnelSpec;

struct PeelResult {
  GtpUVerdict verdict;
  Sdu sdu;
};

PeelResult parse_tunnel(const test::Buffer& frame, const GtpUSettings& settings = test::tunnels_of_tests()) {
  TestFrame made(frame);
  const GtpUVerdict verdict = parse_any(made.sdu(), &settings);
  Sdu sdu = made.sdu();
  sdu.data = nullptr;
  return {verdict, sdu};
}

GtpUVerdict verdict_of(const test::Buffer& frame, const GtpUSettings& settings = test::tunnels_of_tests()) {
  return parse_tunnel(frame, settings).verdict;
}

TEST(Peel, FindsThePacketOfAPlainTunnel) {
  const auto [verdict, sdu] = parse_tunnel(tunnelled({}, {.tos = 1, .payload = 100}));
  EXPECT_EQ(verdict, GtpUVerdict::peeled);
  EXPECT_EQ(sdu.kind, FrameKind::ip);
  EXPECT_EQ(sdu.outer_offset, 14);
  EXPECT_EQ(sdu.l3_offset, 14 + 20 + 8 + 8);
  EXPECT_EQ(sdu.l4_offset, sdu.l3_offset + 20);
  EXPECT_EQ(sdu.ip_len, 140u);
  EXPECT_EQ(sdu.l4_protocol, 6);
  EXPECT_EQ(sdu.ecn, 1);
}

TEST(Peel, FindsThePacketOfEachFormOfTunnel) {
  for (const bool outer6 : {false, true}) {
    for (const bool inner6 : {false, true}) {
      for (const bool session : {false, true}) {
        TunnelSpec tunnel{.vlans = {{}}};
        if (outer6) tunnel.src = "2001:db8:1::1", tunnel.dst = "2001:db8:1::2";
        if (session) tunnel.qfi = 9;
        const auto [verdict, sdu] =
            parse_tunnel(tunnelled(tunnel, {.dst = inner6 ? "2001:db8:45::2" : "10.45.0.2"}));
        EXPECT_EQ(verdict, GtpUVerdict::peeled);
        EXPECT_EQ(sdu.ipv6, inner6);
        EXPECT_EQ(sdu.outer_offset, 18);
        EXPECT_EQ(sdu.l3_offset, 18 + (outer6 ? 40 : 20) + 16 + (session ? 8 : 0));
      }
    }
  }
}

TEST(Peel, IsOnlyBetweenPeersAndToAPort) {
  EXPECT_EQ(verdict_of(tunnelled({.src = "198.51.100.1"}, {})), GtpUVerdict::bare);
  EXPECT_EQ(verdict_of(tunnelled({.dst = "198.51.100.1"}, {})), GtpUVerdict::bare);
  EXPECT_EQ(verdict_of(tunnelled({.dport = 2153}, {})), GtpUVerdict::bare);
  EXPECT_EQ(verdict_of(tunnelled({.sport = 40000}, {})), GtpUVerdict::peeled);
  GtpUSettings two = test::tunnels_of_tests();
  two.ports.push_back(2153);
  EXPECT_EQ(verdict_of(tunnelled({.dport = 2153}, {}), two), GtpUVerdict::peeled);
  TestFrame none(tunnelled({}, {}));
  EXPECT_EQ(parse_any(none.sdu(), nullptr), GtpUVerdict::bare);
  EXPECT_EQ(none.sdu().outer_offset, 0);
}

TEST(Peel, TakesAPacketOutOfOneTunnelOnly) {
  const test::Buffer inner = tunnelled({.teid = 7}, {});
  const auto [verdict, sdu] = parse_tunnel(tunnelled_packet({}, Bytes(inner).subspan(14)));
  EXPECT_EQ(verdict, GtpUVerdict::peeled);
  EXPECT_EQ(sdu.l3_offset, 50);
  EXPECT_EQ(sdu.l4_protocol, 17);
  EXPECT_EQ(sdu.ip_len, inner.size() - 14);
}

TEST(Peel, GivesTheNetworkOfThePeers) {
  GtpUSettings settings;
  settings.peers = {{*parse_prefix("192.0.2.2/32"), 3}, {*parse_prefix("192.0.2.0/24")}};
  EXPECT_EQ(parse_tunnel(tunnelled({}, {}), settings).sdu.network, 3);
  EXPECT_EQ(parse_tunnel(tunnelled({.src = "192.0.2.2", .dst = "192.0.2.1"}, {}), settings).sdu.network, 3);
  EXPECT_EQ(parse_tunnel(tunnelled({.dst = "192.0.2.9"}, {}), settings).sdu.network, kNoNetwork);
}

TEST(Peel, LeavesOctetsBehindThePacketAlone) {
  const auto [verdict, sdu] = parse_tunnel(tunnelled({.behind = 7}, {.payload = 10}));
  EXPECT_EQ(verdict, GtpUVerdict::peeled);
  EXPECT_EQ(sdu.ip_len, 50u);
}

TEST(Peel, NamesOtherMessagesAndVersions) {
  for (const unsigned type : {1u, 2u, 26u, 31u, 253u, 254u})
    EXPECT_EQ(verdict_of(tunnelled_packet({.message = std::uint8_t(type)}, {})), GtpUVerdict::message);
  EXPECT_EQ(verdict_of(tunnelled({.version_and_type = 0x10}, {})), GtpUVerdict::version);
  EXPECT_EQ(verdict_of(tunnelled({.version_and_type = 0x20}, {})), GtpUVerdict::version);
  EXPECT_EQ(verdict_of(tunnelled({.version_and_type = 0x50}, {})), GtpUVerdict::version);
}

TEST(Peel, ObservesOrIgnoresSequenceNumbers) {
  GtpUSettings ignoring = test::tunnels_of_tests();
  ignoring.sequence = GtpUSequence::ignore;
  const auto frame = tunnelled({.sequence = 7}, {});
  EXPECT_EQ(verdict_of(frame), GtpUVerdict::sequence);
  EXPECT_EQ(verdict_of(frame, ignoring), GtpUVerdict::peeled);
  EXPECT_EQ(parse_tunnel(frame, ignoring).sdu.l3_offset, 54);
}

TEST(Peel, RefusesLengthsThatContradictEachOther) {
  const auto frame = tunnelled({}, {});
  const auto changed = [&](std::size_t at, int by) {
    auto f = frame;
    store16(f.data() + at, static_cast<std::uint16_t>(load16(f.data() + at) + by));
    return verdict_of(f);
  };
  EXPECT_EQ(changed(14 + 20 + 4, 1), GtpUVerdict::length);      // UDP beyond IP
  EXPECT_EQ(changed(14 + 20 + 8 + 2, 1), GtpUVerdict::length);  // GTP-U beyond UDP
  EXPECT_EQ(changed(14 + 20 + 8 + 2, -1), GtpUVerdict::inner);  // the packet beyond GTP-U
}

TEST(Peel, RefusesPacketsThatAreInconsistentAndTPdusThatAreNone) {
  EXPECT_EQ(verdict_of(tunnelled_packet({}, {})), GtpUVerdict::inner);
  EXPECT_EQ(verdict_of(tunnelled_packet({}, bytes({0x45}))), GtpUVerdict::inner);
  EXPECT_EQ(verdict_of(tunnelled_packet({}, bytes({0x60, 0, 0, 0}))), GtpUVerdict::inner);
  EXPECT_EQ(verdict_of(tunnelled_packet({}, test::Buffer(60))), GtpUVerdict::not_ip);
}

TEST(Peel, FollowsAChainAndRefusesOneThatDoesNotEnd) {
  const test::GtpUExtension port{0x40, bytes({0x12, 0x34})};
  const test::GtpUExtension wide{0x84, test::Buffer(14)};
  EXPECT_EQ(parse_tunnel(tunnelled({.qfi = 5, .extensions = {port, wide}}, {})).sdu.l3_offset, 50 + 4 + 24);
  auto frame = tunnelled({.extensions = {port}}, {});
  frame[54] = std::byte{0};
  EXPECT_EQ(verdict_of(frame), GtpUVerdict::chain);
  frame[54] = std::byte{200};
  EXPECT_EQ(verdict_of(frame), GtpUVerdict::chain);
  const std::vector<test::GtpUExtension> many(60, port);
  EXPECT_EQ(verdict_of(tunnelled({.extensions = many}, {})), GtpUVerdict::chain);
}

TEST(Peel, NamesFragmentsBetweenPeers) {
  test::FrameSpec spec{
      .src = "192.0.2.1", .dst = "192.0.2.2", .more_fragments = true, .protocol = 17, .dport = 2152};
  EXPECT_EQ(verdict_of(test::frame(spec)), GtpUVerdict::fragment);
  spec.dport = 53;
  EXPECT_EQ(verdict_of(test::frame(spec)), GtpUVerdict::bare);
  spec.fragment_offset = 800;
  EXPECT_EQ(verdict_of(test::frame(spec)), GtpUVerdict::fragment);
  EXPECT_EQ(parse_tunnel(test::frame(spec)).sdu.kind, FrameKind::gtp_u);
}

TEST(Peel, ReadsNothingBeyondTheFirstSegmentAndAlwaysGivesAnAnswer) {
  const auto whole = tunnelled({.vlans = {{}}, .qfi = 5}, {.payload = 4});
  const GtpUSettings settings = test::tunnels_of_tests();
  for (std::size_t head = 0; head <= whole.size(); ++head) {
    TestFrame frame(Bytes(whole).first(head));
    frame.chained(static_cast<std::uint32_t>(whole.size() - head));
    const GtpUVerdict verdict = parse_any(frame.sdu(), &settings);
    EXPECT_EQ(verdict == GtpUVerdict::peeled, head >= 18 + 20 + 8 + 16 + 20) << head;
    if (verdict == GtpUVerdict::peeled) {
      EXPECT_EQ(frame.sdu().l4_offset != 0, head >= 18 + 20 + 8 + 16 + 40) << head;
    }
  }
}

TEST(Peel, FindsAUsersPacketInAQuotedDatagramIfItsHeadersAreWhole) {
  const GtpUSettings settings = test::tunnels_of_tests();
  const auto quoted = [&](const TunnelSpec& spec, std::size_t octets = 1000) {
    const auto frame = tunnelled(spec, {.payload = 4});
    const Bytes packet = Bytes(frame).subspan(EthernetView::kSize);
    return peel_quoted(packet.first(std::min(octets, packet.size())), settings);
  };
  ASSERT_TRUE(quoted({}));
  EXPECT_EQ(quoted({})->inner, 20u + 8 + 8);
  EXPECT_EQ(quoted({}, 36)->inner, 36u);
  EXPECT_FALSE(quoted({}, 35));
  EXPECT_EQ(quoted({.src = "2001:db8:1::1", .dst = "2001:db8:1::2", .qfi = 5})->inner, 40u + 8 + 16);
  EXPECT_FALSE(quoted({.qfi = 5}, 20 + 8 + 15));
  EXPECT_FALSE(quoted({.dst = "203.0.113.1"}));
  EXPECT_FALSE(quoted({.dport = 53}));
  EXPECT_FALSE(quoted({.version_and_type = 0x50}));
  EXPECT_FALSE(quoted({.message = gtp_u_message::kEndMarker}));
  auto fragment = tunnelled({}, {.payload = 4});
  store16(fragment.data() + EthernetView::kSize + 6, 1);
  EXPECT_FALSE(peel_quoted(Bytes(fragment).subspan(EthernetView::kSize), settings)) << "not the first one";
  const auto whole = tunnelled({.qfi = 5, .extensions = {{0x40, bytes({1, 2})}}}, {.payload = 4});
  for (std::size_t octets = 0; octets < whole.size() - EthernetView::kSize; ++octets) {
    const test::Buffer exact(whole.begin() + EthernetView::kSize,
                             whole.begin() + static_cast<std::ptrdiff_t>(EthernetView::kSize + octets));
    EXPECT_EQ(peel_quoted(exact, settings).has_value(), octets >= 20 + 8 + 20) << octets;
  }
}

TEST(GtpUChain, FindsTheQosFlow) {
  const auto qfi_of = [](const TunnelSpec& spec) {
    const auto header = test::gtp_u_header(spec, 0);
    return GtpUChain::at(header)->qfi;
  };
  EXPECT_EQ(qfi_of({}), GtpUChain::kNoQfi);
  EXPECT_EQ(qfi_of({.qfi = 63}), 63);
  EXPECT_EQ(qfi_of({.qfi = 0xc1}), 1);  // paging policy and reflective QoS stand beside it
  EXPECT_EQ(qfi_of({.extensions = {{0x40, bytes({1, 2})}, {0x85, bytes({0x10, 7})}}}), 7);
}

}  // namespace
}  // namespace dp
