#include "dataplane/packet/parse.h"

#include <ostream>

#include <gtest/gtest.h>

#include "tests/fuzz/parse_check.h"

namespace dp {

void PrintTo(FrameKind kind, std::ostream* out) {
  constexpr std::array kNames{"ip",    "link_control", "routing",  "multicast",
                              "other", "unparsable",   "truncated"};
  *out << kNames[index(kind)];
}

namespace {

using test::bytes;
using test::FrameSpec;
using test::parsed;
using test::TestFrame;

constexpr const char* kUe6 = "2001:db8:45::2";
constexpr test::Mac kBroadcast{255, 255, 255, 255, 255, 255};

Sdu parsed(const FrameSpec& spec) { return parsed(test::frame(spec)); }
FrameKind kind(const FrameSpec& spec) { return parsed(spec).kind; }

// A frame with some of its bytes replaced.
test::Buffer patched(const FrameSpec& spec, std::size_t at, const test::Buffer& with) {
  auto f = test::frame(spec);
  std::ranges::copy(with, f.begin() + static_cast<std::ptrdiff_t>(at));
  return f;
}

TEST(Parse, Ipv4TcpGivesOffsetsLengthAndProtocol) {
  const Sdu s = parsed({.tos = 2, .payload = 100});
  EXPECT_EQ(s.kind, FrameKind::ip);
  EXPECT_EQ(s.l3_offset, 14);
  EXPECT_EQ(s.l4_offset, 34);
  EXPECT_EQ(s.ip_len, 140u);
  EXPECT_EQ(s.l4_protocol, 6);
  EXPECT_EQ(s.ecn, 2);
  EXPECT_FALSE(s.ipv6);
  EXPECT_FALSE(s.fragment);
}

TEST(Parse, Ipv6UdpGivesOffsetsLengthAndProtocol) {
  const Sdu s = parsed({.dst = kUe6, .tos = 1, .protocol = 17, .payload = 100});
  EXPECT_EQ(s.kind, FrameKind::ip);
  EXPECT_EQ(s.l3_offset, 14);
  EXPECT_EQ(s.l4_offset, 54);
  EXPECT_EQ(s.ip_len, 148u);
  EXPECT_EQ(s.l4_protocol, 17);
  EXPECT_EQ(s.ecn, 1);
  EXPECT_TRUE(s.ipv6);
}

TEST(Parse, VlanTagsOfEitherTypeInAnyOrderAreSteppedOver) {
  for (std::uint16_t a : {0x8100, 0x88a8}) {
    EXPECT_EQ(parsed({.vlans = {{a, 5}}}).l3_offset, 18);
    for (std::uint16_t b : {0x8100, 0x88a8}) {
      const Sdu s = parsed({.vlans = {{a, 5}, {b, 6}}, .dst = kUe6});
      EXPECT_EQ(s.kind, FrameKind::ip);
      EXPECT_EQ(s.l3_offset, 22);
      EXPECT_EQ(s.l4_offset, 62);
      EXPECT_EQ(s.ip_len, 160u);
    }
  }
}

TEST(Parse, ThirdVlanTagIsNotLookedInto) {
  const Sdu s = parsed({.vlans = {{}, {}, {}}});
  EXPECT_EQ(s.kind, FrameKind::other);
  EXPECT_EQ(s.l3_offset, 0);
}

TEST(Parse, EtherTypesThatAreNotIpAreOther) {
  for (std::uint16_t type : {0x8863, 0x8864, 0x8847, 0x8848, 0x9100, 0x88e5, 0x05dd}) {
    EXPECT_EQ(kind({.ethertype = type}), FrameKind::other) << type;
  }
}

TEST(Parse, WhatKeepsTheLinkIsLinkControl) {
  for (std::uint16_t type : {0x0806, 0x8035, 0x8808, 0x8809, 0x888e, 0x88cc, 0x88f7, 0x8902, 0x9000, 38}) {
    EXPECT_EQ(kind({.ethertype = type}), FrameKind::link_control) << type;
    EXPECT_EQ(kind({.vlans = {{}}, .ethertype = type}), FrameKind::link_control) << type;
  }
  EXPECT_EQ(kind({.eth_dst = kBroadcast, .ethertype = 0x0806}), FrameKind::link_control);
}

TEST(Parse, FrameToANeighbourAddressIsLinkControlWhateverItCarries) {
  const test::Mac neighbour{0x01, 0x80, 0xc2, 0, 0, 0x03};
  EXPECT_EQ(kind({.eth_dst = neighbour}), FrameKind::link_control);
  EXPECT_EQ(kind({.eth_dst = neighbour, .ethertype = 0x1234}), FrameKind::link_control);
}

TEST(Parse, NeighbourDiscoveryIsLinkControlBeforeMulticast) {
  for (unsigned type = 133; type <= 137; ++type) {
    const auto t = static_cast<std::uint8_t>(type);
    EXPECT_EQ(kind({.dst = "ff02::1", .protocol = 58, .icmp_type = t}), FrameKind::link_control) << type;
    EXPECT_EQ(kind({.dst = kUe6, .protocol = 58, .icmp_type = t}), FrameKind::link_control) << type;
  }
  EXPECT_EQ(kind({.dst = kUe6, .protocol = 58, .icmp_type = 128}), FrameKind::ip);
  EXPECT_EQ(kind({.dst = "ff02::16", .protocol = 58, .icmp_type = 143}), FrameKind::multicast);
  EXPECT_EQ(kind({.protocol = 58, .icmp_type = 135}), FrameKind::ip) << "ICMPv6 in IPv4 is no ND";
}

TEST(Parse, OspfIsRoutingBeforeMulticast) {
  EXPECT_EQ(kind({.dst = "224.0.0.5", .protocol = 89}), FrameKind::routing);
  EXPECT_EQ(kind({.dst = "ff02::5", .protocol = 89}), FrameKind::routing);
  EXPECT_EQ(kind({.protocol = 89}), FrameKind::routing);
}

TEST(Parse, BfdIsRoutingByItsDestinationPort) {
  for (std::uint16_t port : {3784, 3785, 4784, 6784, 7784}) {
    EXPECT_EQ(kind({.protocol = 17, .dport = port}), FrameKind::routing) << port;
    EXPECT_EQ(kind({.dst = kUe6, .protocol = 17, .dport = port}), FrameKind::routing) << port;
    EXPECT_EQ(kind({.protocol = 17, .sport = port}), FrameKind::ip) << port;
    EXPECT_EQ(kind({.protocol = 6, .dport = port}), FrameKind::ip) << port;
    EXPECT_EQ(kind({.fragment_offset = 8, .protocol = 17, .dport = port}), FrameKind::ip) << port;
  }
}

TEST(Parse, GroupAddressOfEitherLayerIsMulticast) {
  EXPECT_EQ(kind({.dst = "239.1.1.1", .protocol = 17}), FrameKind::multicast);
  EXPECT_EQ(kind({.dst = "255.255.255.255", .protocol = 17}), FrameKind::multicast);
  EXPECT_EQ(kind({.dst = "ff05::2"}), FrameKind::multicast);
  EXPECT_EQ(kind({.eth_dst = kBroadcast}), FrameKind::multicast);
  EXPECT_EQ(kind({.eth_dst = {0x33, 0x33, 0, 0, 0, 1}, .dst = kUe6}), FrameKind::multicast);
  EXPECT_EQ(parsed({.dst = "239.1.1.1", .protocol = 17, .payload = 10}).ip_len, 38u);
}

TEST(Parse, PaddingBehindThePacketIsNotCounted) {
  EXPECT_EQ(parsed({.payload = 0, .padding = 6}).ip_len, 40u);
  EXPECT_EQ(parsed({.dst = kUe6, .payload = 0, .padding = 6}).ip_len, 60u);
  const Sdu s = parsed({.protocol = 50, .payload = 0, .padding = 26});
  EXPECT_EQ(s.l4_offset, 0) << "padding is no layer-4 header";
}

TEST(Parse, OptionsAndExtensionsMoveTheLayer4Header) {
  EXPECT_EQ(parsed({.ip_options = test::Buffer(40, std::byte{1})}).l4_offset, 14 + 60);
  const Sdu s = parsed({.dst = kUe6, .extensions = {{0, test::Buffer(8)}, {60, test::Buffer(8)}}});
  EXPECT_EQ(s.l4_offset, 14 + 40 + 16);
  EXPECT_EQ(s.l4_protocol, 6);
  EXPECT_EQ(s.ip_len, 40u + 16 + 20 + 100);
}

TEST(Parse, FirstFragmentKeepsItsLayer4Header) {
  const Sdu v4 = parsed({.more_fragments = true, .payload = 28});
  EXPECT_TRUE(v4.fragment);
  EXPECT_EQ(v4.l4_offset, 34);
  const Sdu v6 = parsed({.dst = kUe6, .more_fragments = true, .payload = 28});
  EXPECT_TRUE(v6.fragment);
  EXPECT_EQ(v6.l4_offset, 14 + 40 + 8);
}

TEST(Parse, LaterFragmentHasNoLayer4Header) {
  // The payload would do as a UDP header.
  for (bool more : {true, false}) {
    const Sdu v4 = parsed({.fragment_offset = 1480, .more_fragments = more, .protocol = 17});
    EXPECT_EQ(v4.kind, FrameKind::ip);
    EXPECT_TRUE(v4.fragment);
    EXPECT_EQ(v4.l4_offset, 0);
    EXPECT_EQ(v4.l4_protocol, 17);
    const Sdu v6 = parsed({.dst = kUe6, .fragment_offset = 1480, .more_fragments = more, .protocol = 17});
    EXPECT_EQ(v6.kind, FrameKind::ip);
    EXPECT_TRUE(v6.fragment);
    EXPECT_EQ(v6.l4_offset, 0);
    EXPECT_EQ(v6.l4_protocol, 17);
  }
}

TEST(Parse, BrokenLayer4HeaderLeavesAnIpPacket) {
  const Sdu tcp = parsed(patched({}, 34 + 12, bytes({0x40})));
  EXPECT_EQ(tcp.kind, FrameKind::ip);
  EXPECT_EQ(tcp.l4_offset, 0);
  EXPECT_EQ(tcp.ip_len, 140u);
  EXPECT_EQ(parsed(patched({.protocol = 17}, 34 + 4, bytes({0, 7}))).l4_offset, 0);
  EXPECT_EQ(parsed(patched({.payload = 0}, 16, bytes({0, 39}))).l4_offset, 0)
      << "a byte of the header missing";
  EXPECT_EQ(parsed({.dst = kUe6, .protocol = 59, .payload = 0}).l4_offset, 0);
}

TEST(Parse, BrokenIpHeaderIsUnparsable) {
  EXPECT_EQ(parsed(patched({}, 14, bytes({0x55}))).kind, FrameKind::unparsable);
  EXPECT_EQ(parsed(patched({}, 14, bytes({0x44}))).kind, FrameKind::unparsable);
  EXPECT_EQ(parsed(patched({}, 16, bytes({0, 19}))).kind, FrameKind::unparsable);
  EXPECT_EQ(parsed(patched({.payload = 0}, 14, bytes({0x4f}))).kind, FrameKind::unparsable);
  EXPECT_EQ(parsed(patched({.dst = kUe6}, 14, bytes({0x40}))).kind, FrameKind::unparsable);
  const FrameSpec hop{.dst = kUe6, .extensions = {{0, test::Buffer(8)}}, .payload = 0};
  EXPECT_EQ(parsed(patched(hop, 14 + 40 + 1, bytes({3}))).kind, FrameKind::unparsable);
}

TEST(Parse, WrongIpv4ChecksumIsNotOurAffair) {
  EXPECT_EQ(parsed(patched({}, 24, bytes({0xde, 0xad}))).kind, FrameKind::ip);
}

TEST(Parse, JumbogramIsUnparsable) {
  const FrameSpec jumbo{.dst = kUe6, .extensions = {{0, bytes({0, 0, 0xc2, 4, 0, 1, 0, 0})}}};
  EXPECT_EQ(parsed(patched(jumbo, 14 + 4, bytes({0, 0}))).kind, FrameKind::unparsable);
}

TEST(Parse, LengthBeyondTheFrameIsTruncatedAndCountsWhatIsThere) {
  const Sdu v4 = parsed(patched({.payload = 60}, 16, bytes({0, 101})));
  EXPECT_EQ(v4.kind, FrameKind::truncated);
  EXPECT_EQ(v4.ip_len, 100u);
  EXPECT_EQ(v4.l4_offset, 0);
  const Sdu v6 = parsed(patched({.dst = kUe6, .payload = 60}, 18, bytes({0, 81})));
  EXPECT_EQ(v6.kind, FrameKind::truncated);
  EXPECT_EQ(v6.ip_len, 120u);
}

TEST(Parse, PacketReachingIntoTheSecondSegmentIsWhole) {
  const auto whole = test::frame({.payload = 1000});
  const Sdu s = parsed(Bytes(whole).first(54), 1000);
  EXPECT_EQ(s.kind, FrameKind::ip);
  EXPECT_EQ(s.ip_len, 1040u);
  EXPECT_EQ(s.l4_offset, 34);
  EXPECT_EQ(parsed(Bytes(whole).first(54), 999).kind, FrameKind::truncated);
}

TEST(Parse, HeadersReachingIntoTheSecondSegmentAreNotRead) {
  const auto f = test::frame({.ip_options = test::Buffer(8, std::byte{1}), .payload = 0});
  const auto split = [&](std::size_t head) {
    return parsed(Bytes(f).first(head), std::uint32_t(f.size() - head));
  };
  for (std::size_t head = 0; head < 42; ++head) EXPECT_EQ(split(head).kind, FrameKind::unparsable) << head;
  for (std::size_t head = 42; head < 62; ++head) {
    EXPECT_EQ(split(head).kind, FrameKind::ip) << head;
    EXPECT_EQ(split(head).l4_offset, 0) << head;
  }
  EXPECT_EQ(split(62).l4_offset, 42);
}

TEST(Parse, TooManyExtensionHeadersLeaveAnIpPacketWithoutLayer4) {
  const std::vector<test::Extension> nine(9, {60, test::Buffer(8)});
  const Sdu s = parsed({.dst = kUe6, .extensions = nine});
  EXPECT_EQ(s.kind, FrameKind::ip);
  EXPECT_EQ(s.l4_offset, 0);
  EXPECT_EQ(s.ip_len, 40u + 72 + 120);
}

TEST(UeAddress, IsTheDestinationOnTheDownlinkAndTheSourceOnTheUplink) {
  TestFrame v4(FrameSpec{.vlans = {{}}, .src = "192.0.2.1", .dst = "10.45.0.2"});
  parse(v4.sdu());
  EXPECT_EQ(ue_address(v4.sdu(), Direction::downlink).lo, 0x0a2d0002u);
  EXPECT_EQ(ue_address(v4.sdu(), Direction::uplink).lo, 0xc0000201u);
  EXPECT_EQ(ue_address(v4.sdu(), Direction::uplink).hi, 0u);
  EXPECT_FALSE(ue_address(v4.sdu(), Direction::uplink).ipv6);

  TestFrame v6(FrameSpec{.src = "2001:db8:1:2:3:4:5:6", .dst = "2001:db8::7"});
  parse(v6.sdu());
  EXPECT_TRUE(ue_address(v6.sdu(), Direction::downlink).ipv6);
  EXPECT_EQ(ue_address(v6.sdu(), Direction::downlink).hi, 0x20010db800000000u);
  EXPECT_EQ(ue_address(v6.sdu(), Direction::downlink).lo, 7u);
  EXPECT_EQ(ue_address(v6.sdu(), Direction::uplink).hi, 0x20010db800010002u);
  EXPECT_EQ(ue_address(v6.sdu(), Direction::uplink).lo, 0x0003000400050006u);
}

}  // namespace
}  // namespace dp
