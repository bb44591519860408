#include "control/told/radius/packet.h"

#include <gtest/gtest.h>

#include "tests/support/told/radius_request.h"

namespace control::told::radius {
namespace {

using test::RadiusRequest;

std::vector<std::byte> radius_example() {
  return RadiusRequest(Code::accounting_request, 7).user("ada").integer(40, 1).unsigned_bytes();
}

TEST(RadiusPacket, AWrittenPacketReadsBackAsItWasWritten) {
  const auto bytes = radius_example();
  const auto packet = PacketView::at(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->code(), Code::accounting_request);
  EXPECT_EQ(packet->identifier(), 7);
  AttributeReader reader(packet->attributes());
  EXPECT_EQ(reader.next()->text(), "ada");
  EXPECT_EQ(reader.next()->integer(), 1u);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.intact());
}

TEST(RadiusPacket, APacketCutAtAnyLengthIsNoPacket) {
  const auto bytes = radius_example();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(PacketView::at(dp::Bytes(bytes).first(size))) << size;
  }
}

TEST(RadiusPacket, OctetsBehindTheLengthArePadding) {
  auto bytes = radius_example();
  const std::size_t size = bytes.size();
  bytes.resize(size + 30, std::byte{9});
  const auto packet = PacketView::at(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->bytes().size(), size);
}

TEST(RadiusPacket, AnAttributeWithAWrongLengthMakesNoPacket) {
  for (const int length : {0, 1, 6, 255}) {
    auto bytes = radius_example();
    bytes[PacketView::kHeader + 1] = static_cast<std::byte>(length);
    EXPECT_FALSE(PacketView::at(bytes)) << length;
  }
}

TEST(RadiusPacket, ALengthBeyondTheMostMakesNoPacket) {
  std::vector<std::byte> bytes(5000);
  dp::store16(bytes.data() + 2, PacketView::kMost + 1);
  EXPECT_FALSE(PacketView::at(bytes));
  dp::store16(bytes.data() + 2, PacketView::kHeader);
  EXPECT_TRUE(PacketView::at(bytes));
}

TEST(RadiusPacket, AVendorSpecificAttributeNamesItsVendor) {
  const auto bytes = RadiusRequest(Code::accounting_request).vendor(14988, 8, "10M/5M").unsigned_bytes();
  AttributeReader reader(PacketView::at(bytes)->attributes());
  const auto content = VendorAttributes::of(*reader.next());
  ASSERT_TRUE(content);
  EXPECT_EQ(content->vendor, 14988u);
  AttributeReader within(content->attributes);
  const auto sub = within.next();
  EXPECT_EQ(sub->type, 8);
  EXPECT_EQ(sub->text(), "10M/5M");
}

TEST(RadiusPacket, AVendorSpecificAttributeOfThreeOctetsNamesNobody) {
  const auto bytes = RadiusRequest(Code::accounting_request).text(kVendorSpecific, "abc").unsigned_bytes();
  AttributeReader reader(PacketView::at(bytes)->attributes());
  EXPECT_FALSE(VendorAttributes::of(*reader.next()));
}

TEST(RadiusPacket, AWriterLeavesOutWhatExceedsThePacket) {
  PacketWriter writer(Code::accounting_response, 1);
  const std::vector<std::byte> value(253);
  for (int i = 0; i < 15; ++i) writer.add(33, value);
  EXPECT_TRUE(writer.whole());
  writer.add(33, value);
  writer.add(33, value);
  EXPECT_FALSE(writer.whole());
  EXPECT_LE(writer.bytes().size(), PacketView::kMost);
  EXPECT_TRUE(PacketView::at(writer.bytes()));
}

}  // namespace
}  // namespace control::told::radius
