// parse() has a short way for the most usual frames. It must give the results of the general one for every
// frame.
#include "dataplane/packet/parse_plain.h"

#include <array>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/parse.h"

namespace dp {
namespace {

constexpr std::size_t kFrameBytes = 128;

// TCP over IPv4, 60 bytes of IP with 20 of options in the TCP header.
std::array<std::byte, kFrameBytes> plain_frame() {
  std::array<std::byte, kFrameBytes> frame{};
  frame[0] = std::byte{0x02};
  store16(frame.data() + 12, 0x0800);
  frame[14] = std::byte{0x45};
  store16(frame.data() + 16, 60);
  frame[22] = std::byte{64};
  frame[23] = std::byte{6};
  store32(frame.data() + 26, 0xc0000201);
  store32(frame.data() + 30, 0x0a2d0002);
  frame[46] = std::byte{0xa0};
  return frame;
}

Sdu sdu_of(std::array<std::byte, kFrameBytes>& frame, std::uint32_t frame_len, std::uint32_t head_len) {
  Sdu sdu{};
  sdu.data = frame.data();
  sdu.frame_len = frame_len;
  sdu.head_len = head_len;
  sdu.flow = 7;
  return sdu;
}

void expect_the_same(std::array<std::byte, kFrameBytes>& frame, std::uint32_t frame_len,
                     std::uint32_t head_len) {
  Sdu quick = sdu_of(frame, frame_len, head_len);
  Sdu general = quick;
  parse(quick);
  parse_any(general);
  EXPECT_EQ(quick.kind, general.kind);
  EXPECT_EQ(quick.ip_len, general.ip_len);
  EXPECT_EQ(quick.l3_offset, general.l3_offset);
  EXPECT_EQ(quick.l4_offset, general.l4_offset);
  EXPECT_EQ(quick.l4_protocol, general.l4_protocol);
  EXPECT_EQ(quick.ecn, general.ecn);
  EXPECT_EQ(quick.ipv6, general.ipv6);
  EXPECT_EQ(quick.fragment, general.fragment);
  EXPECT_EQ(quick.flow, general.flow);
}

TEST(ParsePlain, SaysWhatTheGeneralWaySaysOfEachByteOfTheHeaders) {
  for (std::size_t at = 0; at < 74; ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      auto frame = plain_frame();
      frame[at] = static_cast<std::byte>(value);
      expect_the_same(frame, 74, 74);
      ASSERT_FALSE(HasFailure()) << "byte " << at << " is " << value;
    }
  }
}

TEST(ParsePlain, SaysWhatTheGeneralWaySaysOfEachLength) {
  auto frame = plain_frame();
  for (std::uint32_t frame_len = 1; frame_len <= kFrameBytes; ++frame_len) {
    for (std::uint32_t head_len = 1; head_len <= frame_len; ++head_len) {
      for (std::uint16_t ip_len : {0, 19, 20, 39, 40, 59, 60, 61, 114, 115, 65535}) {
        store16(frame.data() + 16, ip_len);
        expect_the_same(frame, frame_len, head_len);
        ASSERT_FALSE(HasFailure()) << frame_len << " " << head_len << " " << ip_len;
      }
    }
  }
}

TEST(ParsePlain, SaysWhatTheGeneralWaySaysOfDamagedFrames) {
  std::mt19937 rng(1);
  for (int round = 0; round < 200'000; ++round) {
    auto frame = plain_frame();
    for (unsigned changes = rng() % 4; changes > 0; --changes)
      frame[rng() % 60] = static_cast<std::byte>(rng());
    const std::uint32_t frame_len = 54 + rng() % (kFrameBytes - 54);
    expect_the_same(frame, frame_len, frame_len - rng() % 30);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

TEST(ParsePlain, FindsThePlainFrame) {
  auto frame = plain_frame();
  for (const unsigned type_of_service : {0x00u, 0x03u, 0xb8u}) {
    for (const unsigned flags : {0x00u, 0x40u}) {
      frame[15] = static_cast<std::byte>(type_of_service);
      frame[20] = static_cast<std::byte>(flags);
      Sdu plain = sdu_of(frame, 74, 74);
      EXPECT_TRUE(parse_plain(plain)) << type_of_service << " " << flags;
    }
  }
  Sdu sdu = sdu_of(frame, 74, 74);
  ASSERT_TRUE(parse_plain(sdu));
  EXPECT_EQ(sdu.kind, FrameKind::ip);
  EXPECT_EQ(sdu.ip_len, 60u);
  EXPECT_EQ(sdu.l3_offset, 14u);
  EXPECT_EQ(sdu.l4_offset, 34u);
}

}  // namespace
}  // namespace dp
