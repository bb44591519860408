#include "control/capture/packet_filter.h"

#include <gtest/gtest.h>

namespace control {
namespace {

// tcpdump -dd -y EN10MB ip
const std::vector<PacketFilter::Instruction> kIp{
    {0x28, 0, 0, 12}, {0x15, 0, 1, 0x800}, {0x6, 0, 0, 262144}, {0x6, 0, 0, 0}};

std::vector<std::byte> frame_of(unsigned ethertype) {
  std::vector<std::byte> frame(60);
  frame[12] = static_cast<std::byte>(ethertype >> 8);
  frame[13] = static_cast<std::byte>(ethertype);
  return frame;
}

TEST(PacketFilterTest, TakesTheFramesOfItsExpression) {
  const auto filter = PacketFilter::of(kIp);
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->takes(frame_of(0x800), 60));
  EXPECT_FALSE(filter->takes(frame_of(0x806), 60));
  EXPECT_FALSE(filter->takes({}, 60));
  EXPECT_TRUE(PacketFilter().takes({}, 60));
}

TEST(PacketFilterTest, RefusesWhatIsNoProgramThatEnds) {
  EXPECT_FALSE(PacketFilter::of({}));
  EXPECT_FALSE(PacketFilter::of({{0x15, 5, 5, 0}}));                          // jumps out of it
  EXPECT_FALSE(PacketFilter::of({{0x05, 0, 0, 0xffff'fffe}, {6, 0, 0, 0}}));  // jumps back
  EXPECT_FALSE(PacketFilter::of({{0x28, 0, 0, 12}}));                         // has no end
  EXPECT_FALSE(PacketFilter::of({{0x34, 0, 0, 0}, {6, 0, 0, 0}}));            // divides by 0
  std::vector<PacketFilter::Instruction> longest(PacketFilter::kMostInstructions + 1, {6, 0, 0, 0});
  EXPECT_FALSE(PacketFilter::of(longest));
  longest.pop_back();
  EXPECT_TRUE(PacketFilter::of(longest));
}

}  // namespace
}  // namespace control
