#include "control/capture/pcapng.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace control {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

TEST(PcapngTest, WritesASectionAndAnInterface) {
  std::string out;
  Pcapng file(out);
  file.section("ab", "c");
  EXPECT_EQ(hex(out),
            "0a0d0d0a"
            "30000000"
            "4d3c2b1a"
            "0100"
            "0000"
            "ffffffffffffffff"
            "0100"
            "0100"
            "63000000"  // the comment
            "0400"
            "0200"
            "61620000"  // the application
            "00000000"
            "30000000");
  out.clear();
  file.interface("core-in", "", 128);
  EXPECT_EQ(hex(out),
            "01000000"
            "2c000000"
            "0100"
            "0000"
            "80000000"
            "0200"
            "0700"
            "636f72652d696e00"  // the name
            "0900"
            "0100"
            "09000000"  // nanoseconds
            "00000000"
            "2c000000");
}

TEST(PcapngTest, WritesAPacket) {
  std::string out;
  constexpr std::array bytes{std::byte{1}, std::byte{2}, std::byte{3}};
  Pcapng(out).packet({.interface = 4,
                      .at = 0x1'0000'0002,
                      .length = 60,
                      .bytes = bytes,
                      .inbound = true,
                      .id = 7,
                      .lost = 9,
                      .comment = "hm"});
  EXPECT_EQ(hex(out),
            "06000000"
            "50000000"
            "04000000"
            "01000000"
            "02000000"
            "03000000"
            "3c000000"
            "01020300"
            "0100"
            "0200"
            "686d0000"
            "0200"
            "0400"
            "01000000"
            "0400"
            "0800"
            "0900000000000000"
            "0500"
            "0800"
            "0700000000000000"
            "00000000"
            "50000000");
}

TEST(PcapngTest, WritesStatistics) {
  std::string out;
  Pcapng(out).statistics({.interface = 1, .begin = 5, .end = 0x2'0000'0006, .seen = 10, .lost = 3});
  EXPECT_EQ(hex(out),
            "05000000"
            "4c000000"
            "01000000"
            "02000000"
            "06000000"
            "0200"
            "0800"
            "0000000005000000"
            "0300"
            "0800"
            "0200000006000000"
            "0400"
            "0800"
            "0a00000000000000"
            "0500"
            "0800"
            "0300000000000000"
            "00000000"
            "4c000000");
}

TEST(PcapngTest, APacketHasAtMostTheBytesThatWereForetold) {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string data(size, 'x'), comment(size % 7, 'c');
    const Pcapng::Packet packet{
        .bytes = std::as_bytes(std::span(data)), .id = 1, .lost = 1, .comment = comment};
    std::string out;
    Pcapng(out).packet(packet);
    EXPECT_LE(out.size(), Pcapng::most_bytes_of(packet));
    EXPECT_EQ(out.size() % 4, 0u);
  }
}

}  // namespace
}  // namespace control
