#include "control/told/mirror/ip_packet.h"

#include <gtest/gtest.h>

#include "tests/support/told/mirror_frames.h"

namespace control::told {
namespace {

using test::joined;
using test::number;
using test::Octets;

TEST(MirrorIpPacket, Ipv4IsReadBehindAnyVlanTags) {
  const Octets payload = number(0x1122334455, 5);
  for (const Octets& tags :
       {Octets{}, number(0x81000005, 4), joined({number(0x88a80007, 4), number(0x81000005, 4)})}) {
    IpPacket packet;
    ASSERT_EQ(read_frame(test::ethernet(0x0800, test::ipv4(payload), tags), packet), FrameKind::packet);
    EXPECT_FALSE(packet.ipv6);
    EXPECT_EQ(packet.source_lo, test::kFrameSource);
    EXPECT_EQ(packet.destination_lo, test::kFrameDestination);
    EXPECT_EQ(packet.protocol, 17);
    EXPECT_FALSE(packet.fragment);
    EXPECT_EQ(packet.payload.size(), 5u) << "without padding";
  }
}

TEST(MirrorIpPacket, Ipv4FragmentHasItsPlace) {
  IpPacket packet;
  ASSERT_EQ(read_frame(test::ethernet(0x0800,
                                      test::ipv4(number(1, 8), {.id = 0x4711, .offset = 1480, .more = true})),
                       packet),
            FrameKind::packet);
  ASSERT_TRUE(packet.fragment);
  EXPECT_EQ(packet.fragment->id, 0x4711u);
  EXPECT_EQ(packet.fragment->offset, 1480u);
  EXPECT_TRUE(packet.fragment->more);
}

TEST(MirrorIpPacket, Ipv6ExtensionHeadersAreGoneThrough) {
  const Octets hop_by_hop = joined({number(60, 1), number(0, 7)});
  const Octets destination = joined({number(17, 1), number(1, 1), number(0, 14)});
  IpPacket packet;
  ASSERT_EQ(read_frame(test::ethernet(0x86dd, test::ipv6(0, joined({hop_by_hop, destination, number(9, 5)}))),
                       packet),
            FrameKind::packet);
  EXPECT_TRUE(packet.ipv6);
  EXPECT_EQ(packet.protocol, 17);
  EXPECT_EQ(packet.payload.size(), 5u);
  EXPECT_EQ(packet.source_hi, test::kFramePrefix);
}

TEST(MirrorIpPacket, Ipv6FragmentHasItsPlace) {
  IpPacket packet;
  ASSERT_EQ(read_frame(test::ethernet(0x86dd, test::ipv6_fragment(17, number(1, 8),
                                                                  {.id = 9, .offset = 16, .more = true})),
                       packet),
            FrameKind::packet);
  ASSERT_TRUE(packet.fragment);
  EXPECT_EQ(packet.fragment->offset, 16u);
  EXPECT_TRUE(packet.fragment->more);
  EXPECT_EQ(packet.protocol, 17);
  EXPECT_EQ(packet.payload.size(), 8u);
}

TEST(MirrorIpPacket, FragmentHeaderOfAWholePacketIsNone) {
  IpPacket packet;
  ASSERT_EQ(read_frame(test::ethernet(0x86dd, test::ipv6_fragment(17, number(1, 8), {.id = 9})), packet),
            FrameKind::packet);
  EXPECT_FALSE(packet.fragment);
}

TEST(MirrorIpPacket, CutFrameIsNeverAPacket) {
  for (const Octets& frame :
       {test::ethernet(0x0800, test::ipv4(number(1, 40))),
        test::ethernet(0x86dd, test::ipv6_fragment(17, number(1, 40), {.id = 9, .more = true}))}) {
    for (std::size_t n = 0; n < frame.size(); ++n) {
      IpPacket packet;
      EXPECT_NE(read_frame(dp::Bytes(frame).first(n), packet), FrameKind::packet) << n;
    }
  }
}

TEST(MirrorIpPacket, ChainOfManyHeadersIsMalformed) {
  IpPacket packet;
  const Octets header = joined({number(60, 1), number(0, 7)});
  const Octets last = joined({number(17, 1), number(0, 7)});
  EXPECT_EQ(read_frame(test::ethernet(
                           0x86dd, test::ipv6(60, joined({test::repeated(header, 7), last, number(1, 8)}))),
                       packet),
            FrameKind::packet);
  EXPECT_EQ(read_frame(test::ethernet(
                           0x86dd, test::ipv6(60, joined({test::repeated(header, 8), last, number(1, 8)}))),
                       packet),
            FrameKind::malformed);
}

TEST(MirrorIpPacket, FrameWithoutIpIsOfAnotherKind) {
  IpPacket packet;
  EXPECT_EQ(read_frame(test::ethernet(0x0806, number(1, 28)), packet), FrameKind::other);
}

}  // namespace
}  // namespace control::told
