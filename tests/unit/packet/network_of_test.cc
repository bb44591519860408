#include "dataplane/packet/network_of.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

constexpr NetworkMap map_of(std::uint16_t id, NetworkId network) {
  NetworkMap map{};
  map[id] = network;
  return map;
}

NetworkId network(const std::vector<test::VlanTag>& vlans, const NetworkMap& map) {
  test::TestFrame frame(test::FrameSpec{.vlans = vlans});
  return network_of(frame.sdu().head(), &map);
}

TEST(NetworkOf, AFrameIsOfTheNetworkOfItsOutermostTag) {
  const NetworkMap map = map_of(100, 7);
  EXPECT_EQ(network({{0x8100, 100}}, map), 7);
  EXPECT_EQ(network({{0x88a8, 100}}, map), 7) << "a service tag, too";
  EXPECT_EQ(network({{0x8100, 0xf000 | 100}}, map), 7) << "whatever its priority";
  EXPECT_EQ(network({{0x88a8, 100}, {0x8100, 5}}, map), 7);
  EXPECT_EQ(network({{0x88a8, 5}, {0x8100, 100}}, map), kNoNetwork) << "another tag is not looked at";
  EXPECT_EQ(network({{0x8100, 101}}, map), kNoNetwork);
  EXPECT_EQ(network({}, map), kNoNetwork);
}

TEST(NetworkOf, AFrameThatEndsWithinItsTagOrWithoutAnyMapIsOfNone) {
  const NetworkMap map = map_of(100, 7);
  test::TestFrame frame(test::FrameSpec{.vlans = {{0x8100, 100}}});
  const Bytes head = frame.sdu().head();
  EXPECT_EQ(network_of(head.first(18), &map), 7);
  for (std::size_t size = 0; size < 18; ++size) EXPECT_EQ(network_of(head.first(size), &map), kNoNetwork);
  EXPECT_EQ(network_of(head, nullptr), kNoNetwork);
}

}  // namespace
}  // namespace dp
