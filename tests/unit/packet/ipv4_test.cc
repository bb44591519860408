#include "dataplane/packet/ipv4.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

using test::bytes;
using test::frame;

test::Buffer packet(const test::FrameSpec& spec) {
  const auto f = frame(spec);
  return {f.begin() + 14, f.end()};
}

TEST(Ipv4, FieldsAreReadWhereRfc791PutsThem) {
  const auto p = packet(
      {.src = "192.0.2.9", .dst = "10.45.1.2", .ttl = 17, .tos = 0xb9, .ident = 0xbeef, .payload = 60});
  const auto v = Ipv4View::at(p);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->header_size(), 20u);
  EXPECT_EQ(v->total_length(), 100);
  EXPECT_EQ(v->ecn(), 1);
  EXPECT_EQ(v->ident(), 0xbeef);
  EXPECT_EQ(v->ttl(), 17);
  EXPECT_EQ(v->protocol(), 6);
  EXPECT_EQ(v->source(), 0xc0000209u);
  EXPECT_EQ(v->destination(), 0x0a2d0102u);
  EXPECT_EQ(InternetSum{}.add(Bytes(p).first(20)).folded(), 0xffff);
  EXPECT_FALSE(v->fragment());
}

TEST(Ipv4, FragmentFieldsAreOffsetInBytesAndMore) {
  const auto first = packet({.more_fragments = true});
  EXPECT_TRUE(Ipv4View::at(first)->fragment());
  EXPECT_TRUE(Ipv4View::at(first)->more_fragments());
  EXPECT_EQ(Ipv4View::at(first)->fragment_offset(), 0u);
  const auto last = packet({.fragment_offset = 65528});
  EXPECT_TRUE(Ipv4View::at(last)->fragment());
  EXPECT_FALSE(Ipv4View::at(last)->more_fragments());
  EXPECT_EQ(Ipv4View::at(last)->fragment_offset(), 65528u);
}

TEST(Ipv4, DontFragmentIsNoFragment) {
  auto p = packet({});
  p[6] = std::byte{0x40};
  EXPECT_TRUE(Ipv4View::at(p)->dont_fragment());
  EXPECT_FALSE(Ipv4View::at(p)->fragment());
}

TEST(Ipv4, OnlyVersion4WithFiveToFifteenWordsIsTaken) {
  auto p = packet({.payload = 100});
  for (unsigned first = 0; first < 256; ++first) {
    p[0] = static_cast<std::byte>(first);
    EXPECT_EQ(Ipv4View::at(p).has_value(), first >= 0x45 && first <= 0x4f) << first;
  }
}

TEST(Ipv4, HeaderLongerThanItsBytesIsRefused) {
  const auto p = packet({.ip_options = test::Buffer(40), .payload = 0});
  EXPECT_EQ(Ipv4View::at(Bytes(p).first(60))->header_size(), 60u);
  for (std::size_t n = 0; n < 60; ++n) EXPECT_FALSE(Ipv4View::at(Bytes(p).first(n))) << n;
}

TEST(Ipv4, TotalLengthBelowTheHeaderIsRefused) {
  auto p = packet({});
  store16(p.data() + 2, 19);
  EXPECT_FALSE(Ipv4View::at(p));
  store16(p.data() + 2, 20);
  EXPECT_TRUE(Ipv4View::at(p));
}

TEST(Ipv4, GroupsAreMulticastAndLimitedBroadcast) {
  const auto to = [](const char* dst) {
    const auto p = packet({.dst = dst});
    return Ipv4View::at(p)->to_group();
  };
  EXPECT_FALSE(to("223.255.255.255"));
  EXPECT_TRUE(to("224.0.0.0"));
  EXPECT_TRUE(to("239.255.255.255"));
  EXPECT_FALSE(to("240.0.0.1"));
  EXPECT_TRUE(to("255.255.255.255"));
}

}  // namespace
}  // namespace dp
