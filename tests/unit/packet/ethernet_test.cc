#include "dataplane/packet/ethernet.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

using test::bytes;
using test::frame;

TEST(Ethernet, HeaderCutAnywhereIsRefused) {
  const auto whole = frame({});
  for (std::size_t n = 0; n < EthernetView::kSize; ++n) {
    EXPECT_FALSE(EthernetView::at(Bytes(whole).first(n))) << n;
  }
  EXPECT_TRUE(EthernetView::at(Bytes(whole).first(14)));
}

TEST(Ethernet, TypeIsReadBehindTheAddresses) {
  const auto f = frame({.ethertype = 0x88cc});
  EXPECT_EQ(EthernetView::at(f)->type(), 0x88cc);
}

TEST(Ethernet, GroupAddressIsToldByItsFirstBit) {
  EXPECT_FALSE(EthernetView::at(frame({.eth_dst = {0x02, 0, 0, 0, 0, 1}}))->to_group());
  EXPECT_TRUE(EthernetView::at(frame({.eth_dst = {0x33, 0x33, 0, 0, 0, 1}}))->to_group());
}

TEST(Ethernet, NeighbourAddressesAreTheSixteenReservedOnes) {
  const auto to = [](std::uint8_t fifth, std::uint8_t last) {
    const auto f = frame({.eth_dst = {0x01, 0x80, 0xc2, 0, fifth, last}});
    return EthernetView::at(f)->to_neighbour();
  };
  for (unsigned last = 0; last < 16; ++last) EXPECT_TRUE(to(0, static_cast<std::uint8_t>(last))) << last;
  EXPECT_FALSE(to(0, 0x10));
  EXPECT_FALSE(to(1, 0x00));
}

TEST(Vlan, TagGivesIdPriorityAndInnerType) {
  const auto tag = bytes({0xa1, 0x23, 0x86, 0xdd});
  const auto view = VlanView::at(tag);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->id(), 0x123);
  EXPECT_EQ(view->priority(), 5);
  EXPECT_EQ(view->type(), 0x86dd);
  EXPECT_FALSE(VlanView::at(Bytes(tag).first(3)));
}

TEST(EtherType, UpTo1500IsALengthAndKeepsTheLink) {
  EXPECT_TRUE(keeps_link(38));
  EXPECT_TRUE(keeps_link(1500));
  EXPECT_FALSE(keeps_link(1501));
  EXPECT_FALSE(keeps_link(0x0800));
}

}  // namespace
}  // namespace dp
