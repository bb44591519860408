#include "dataplane/packet/icmp.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

test::Buffer l4(const test::FrameSpec& spec) {
  const auto f = test::frame(spec);
  return {f.begin() + 34, f.end()};
}

TEST(Icmp, FieldsAreReadWhereRfc792PutsThem) {
  auto m = l4({.protocol = 1, .icmp_type = 3, .payload = 4});
  m[1] = std::byte{4};
  const auto v = IcmpView::at(m);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->type(), 3);
  EXPECT_EQ(v->code(), 4);
  for (std::size_t n = 0; n < 8; ++n) EXPECT_FALSE(IcmpView::at(Bytes(m).first(n))) << n;
}

TEST(Icmpv6, NeighbourDiscoveryIsTypes133To137) {
  EXPECT_FALSE(is_neighbour_discovery(132));
  for (unsigned type = 133; type <= 137; ++type) {
    EXPECT_TRUE(is_neighbour_discovery(static_cast<std::uint8_t>(type)));
  }
  EXPECT_FALSE(is_neighbour_discovery(138));
}

}  // namespace
}  // namespace dp
