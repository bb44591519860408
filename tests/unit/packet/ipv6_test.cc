#include "dataplane/packet/ipv6.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

using test::bytes;
using test::frame;

test::Buffer packet6(const test::FrameSpec& spec) {
  const auto f = frame(spec);
  return {f.begin() + 14, f.end()};
}

test::Buffer operator+(test::Buffer a, const test::Buffer& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

test::Buffer fragment_header(unsigned next, unsigned offset, bool more) {
  return bytes({next, 0, offset >> 8, (offset & 0xf8) | (more ? 1u : 0u), 0, 0, 0, 9});
}

TEST(Ipv6, FieldsAreReadWhereRfc8200PutsThem) {
  const auto p =
      packet6({.src = "2001:db8:1:2:3:4:5:6", .dst = "2001:db8::7", .ttl = 9, .tos = 0xba, .payload = 60});
  const auto v = Ipv6View::at(p);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->ecn(), 2);
  EXPECT_EQ(v->flow_label(), 0u);
  EXPECT_EQ(v->payload_length(), 80);
  EXPECT_EQ(v->next_header(), 6);
  EXPECT_EQ(v->hop_limit(), 9);
  EXPECT_EQ(v->source_hi(), 0x20010db800010002u);
  EXPECT_EQ(v->source_lo(), 0x0003000400050006u);
  EXPECT_EQ(v->destination_hi(), 0x20010db800000000u);
  EXPECT_EQ(v->destination_lo(), 7u);
  EXPECT_FALSE(v->to_group());
}

TEST(Ipv6, OtherVersionOrShortHeaderIsRefused) {
  auto p = packet6({.dst = "2001:db8::7"});
  for (std::size_t n = 0; n < 40; ++n) EXPECT_FALSE(Ipv6View::at(Bytes(p).first(n))) << n;
  EXPECT_TRUE(Ipv6View::at(Bytes(p).first(40)));
  p[0] = std::byte{0x50};
  EXPECT_FALSE(Ipv6View::at(p));
}

TEST(Ipv6, GroupIsMulticast) {
  const auto p = packet6({.dst = "ff02::1"});
  EXPECT_TRUE(Ipv6View::at(p)->to_group());
}

TEST(Ipv6Chain, WithoutExtensionsIsEmpty) {
  const auto chain = Ipv6Chain::at({}, 6);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->size, 0u);
  EXPECT_EQ(chain->protocol, 6);
  EXPECT_TRUE(chain->ends_at_l4);
}

TEST(Ipv6Chain, OfEveryHeaderKindEndsAtTheLayer4Header) {
  const auto hop = bytes({43, 0, 1, 4, 0, 0, 0, 0});
  const auto routing = bytes({60, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const auto destination = bytes({44, 0, 1, 4, 0, 0, 0, 0});
  const auto fragment = fragment_header(51, 0, true);
  const auto ah = bytes({17, 4}) + test::Buffer(22);  // (4 + 2) * 4 bytes
  const auto payload = hop + routing + destination + fragment + ah;
  const auto chain = Ipv6Chain::at(payload, 0);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->size, 64u);
  EXPECT_EQ(chain->protocol, 17);
  EXPECT_TRUE(chain->fragment);
  EXPECT_TRUE(chain->ends_at_l4);
  for (std::size_t n = 0; n < payload.size(); ++n)
    EXPECT_FALSE(Ipv6Chain::at(Bytes(payload).first(n), 0)) << n;
}

TEST(Ipv6Chain, OfALaterFragmentEndsAtItsFragmentHeader) {
  const auto chain = Ipv6Chain::at(fragment_header(60, 8, false) + bytes({60, 200}), 44);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->size, 8u);
  EXPECT_EQ(chain->protocol, 60);
  EXPECT_TRUE(chain->fragment);
  EXPECT_FALSE(chain->ends_at_l4);
}

TEST(Ipv6Chain, FragmentHeaderOfAWholePacketIsNoFragment) {
  const auto chain = Ipv6Chain::at(fragment_header(6, 0, false), 44);
  ASSERT_TRUE(chain);
  EXPECT_FALSE(chain->fragment);
  EXPECT_TRUE(chain->ends_at_l4);
}

TEST(Ipv6Chain, FragmentHeadersReservedByteIsNoLength) {
  auto header = fragment_header(6, 0, false);
  header[1] = std::byte{0xff};
  EXPECT_TRUE(Ipv6Chain::at(header, 44));
}

TEST(Ipv6Chain, LongestIsWalkedAndALongerOneIsGivenUp) {
  const test::Buffer options(8 * (Ipv6Chain::kMaxHeaders + 1), std::byte{0});
  auto payload = options;
  for (std::size_t i = 0; i < payload.size(); i += 8) payload[i] = std::byte{60};
  payload[8 * (Ipv6Chain::kMaxHeaders - 1)] = std::byte{6};
  const auto whole = Ipv6Chain::at(payload, 60);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->protocol, 6);
  EXPECT_TRUE(whole->ends_at_l4);

  payload[8 * (Ipv6Chain::kMaxHeaders - 1)] = std::byte{60};
  const auto given_up = Ipv6Chain::at(payload, 60);
  ASSERT_TRUE(given_up);
  EXPECT_EQ(given_up->size, 8 * Ipv6Chain::kMaxHeaders);
  EXPECT_FALSE(given_up->ends_at_l4);
}

}  // namespace
}  // namespace dp
