#include "dataplane/packet/ecn.h"

#include <gtest/gtest.h>

#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/parse.h"
#include "tests/support/frames.h"

namespace dp {
namespace {

using test::Buffer;
using test::FrameSpec;
using test::Ip;
using test::TestFrame;

Bytes ip_of(TestFrame& frame) { return frame.sdu().head().subspan(frame.sdu().l3_offset); }
Buffer copy_of(TestFrame& frame) {
  const auto head = frame.sdu().head();
  return {head.begin(), head.end()};
}

// Every DSCP, so that every carry of the checksum is met.
TEST(Ecn, AnEctPacketOfIpv4IsMarkedWithARightChecksum) {
  for (unsigned tos = 0; tos < 256; ++tos) {
    TestFrame frame(
        FrameSpec{.dst = Ip("10.45.0.2"), .tos = static_cast<std::uint8_t>(tos), .ident = tos * 911});
    parse(frame.sdu());
    if ((tos & 3) == 0 || (tos & 3) == 3) continue;
    ASSERT_TRUE(mark_ce(frame.sdu()));
    const auto view = *Ipv4View::at(ip_of(frame));
    EXPECT_EQ(view.ecn(), kCe);
    EXPECT_EQ(load8(view.p + 1) >> 2, tos >> 2) << "the DSCP stays";
    EXPECT_EQ(internet_checksum({view.p, view.header_size()}), 0) << tos;
    EXPECT_EQ(frame.sdu().ecn, kCe);
  }
}

TEST(Ecn, AnEctPacketOfIpv6IsMarkedAndNothingElseChanges) {
  for (std::uint8_t tos : {1, 2, 0xb9, 0xfe}) {
    TestFrame frame(FrameSpec{.dst = Ip("2001:db8::2"), .tos = tos});
    parse(frame.sdu());
    Buffer wanted = copy_of(frame);
    wanted[frame.sdu().l3_offset + 1] |= std::byte{0x30};
    ASSERT_TRUE(mark_ce(frame.sdu()));
    EXPECT_EQ(Ipv6View::at(ip_of(frame))->ecn(), kCe);
    EXPECT_EQ(copy_of(frame), wanted);
  }
}

TEST(Ecn, APacketThatIsNotEctIsLeftAlone) {
  for (const char* dst : {"10.45.0.2", "2001:db8::2"}) {
    TestFrame frame(FrameSpec{.dst = Ip(dst), .tos = 0xb8});
    parse(frame.sdu());
    const Buffer before = copy_of(frame);
    EXPECT_FALSE(mark_ce(frame.sdu()));
    EXPECT_EQ(copy_of(frame), before);
  }
}

TEST(Ecn, APacketThatIsMarkedAlreadyStaysAsItIs) {
  for (const char* dst : {"10.45.0.2", "2001:db8::2"}) {
    TestFrame frame(FrameSpec{.dst = Ip(dst), .tos = 3});
    parse(frame.sdu());
    const Buffer before = copy_of(frame);
    EXPECT_TRUE(mark_ce(frame.sdu()));
    EXPECT_EQ(copy_of(frame), before);
  }
}

TEST(Ecn, BehindAVlanTagAndWithIpOptionsTheRightBytesChange) {
  TestFrame frame(
      FrameSpec{.vlans = {{}}, .dst = Ip("10.45.0.2"), .tos = 1, .ip_options = test::bytes({1, 1, 1, 1})});
  parse(frame.sdu());
  ASSERT_TRUE(mark_ce(frame.sdu()));
  const auto view = *Ipv4View::at(ip_of(frame));
  EXPECT_EQ(view.ecn(), kCe);
  EXPECT_EQ(internet_checksum({view.p, view.header_size()}), 0);
}

}  // namespace
}  // namespace dp
