#include "control/capture/rlc_datagram.h"

#include <array>

#include <gtest/gtest.h>

#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ipv4.h"

namespace control {
namespace {

TEST(RlcDatagramTest, IsADatagramWithTheFramingOfTheDissector) {
  constexpr std::array pdu{std::byte{0x80}, std::byte{0x04}, std::byte{0xab}};
  dp::TapRecord record;
  record.point = dp::TapPoint::rlc;
  record.length = 42;
  record.direction = dp::Direction::downlink;
  const std::string datagram = rlc_datagram(record, pdu);
  const dp::Bytes bytes = std::as_bytes(std::span(datagram));
  ASSERT_EQ(bytes.size(), kRlcFraming + pdu.size());
  EXPECT_EQ(dp::internet_checksum(bytes.subspan(14, 20)), 0);
  EXPECT_EQ(dp::load16(bytes.data() + 16), 20 + 8 + 8 + 16 + 42)
      << "the IP packet as if all of the PDU were here";
  EXPECT_EQ(dp::load16(bytes.data() + 38), 8 + 8 + 16 + 42);
  EXPECT_EQ(datagram.substr(42, 8), "umts-rlc");
  EXPECT_EQ(datagram.substr(50, 6), std::string("\2\4\3\2\4\1", 6)) << "PS DTCH, AM, downlink";
  EXPECT_EQ(datagram.substr(63), std::string("\7\1\1\x80\4\xab", 6).substr(0)) << "7 bits, the PDU";
}

}  // namespace
}  // namespace control
