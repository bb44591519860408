#include "control/told/mirror/mirror.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/told/mirror_frames.h"

namespace control::told {
namespace {

using test::Octets;

constexpr std::uint16_t kMirrored = 8805;

TEST(Mirror, DatagramsOfThePortAreTakenInBothDirections) {
  Mirror mirror(kMirrored);
  const Octets payload = test::text_octets("pfcp");
  for (const auto& [from, to] : {std::pair{8805u, 40000u}, {40000u, 8805u}}) {
    const Octets frame = test::ethernet(0x0800, test::ipv4(test::udp(from, to, payload)));
    const auto datagram = mirror.take(frame, dp::time_ns(5));
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->at, dp::time_ns(5));
    EXPECT_EQ(datagram->from, (Endpoint{0, test::kFrameSource, static_cast<std::uint16_t>(from), false}));
    EXPECT_EQ(datagram->to, (Endpoint{0, test::kFrameDestination, static_cast<std::uint16_t>(to), false}));
    EXPECT_TRUE(std::ranges::equal(datagram->payload, payload));
  }
  EXPECT_EQ(mirror.counters().datagrams, 2u);
}

TEST(Mirror, OtherPortsAndProtocolsAreNotTaken) {
  Mirror mirror(kMirrored);
  EXPECT_FALSE(mirror.take(test::ethernet(0x0800, test::ipv4(test::udp(53, 2152, {}))), {}));
  EXPECT_FALSE(mirror.take(test::ethernet(0x0800, test::ipv4(test::udp(8805, 8805, {}), {}, 6)), {}));
  EXPECT_FALSE(mirror.take(test::ethernet(0x86dd, test::ipv6(6, test::udp(8805, 8805, {}))), {}));
  EXPECT_FALSE(mirror.take(test::ethernet(0x0806, test::number(0, 28)), {}));
  EXPECT_EQ(mirror.counters().others, 4u);
}

TEST(Mirror, LengthBeyondThePacketIsMalformed) {
  Mirror mirror(kMirrored);
  Octets datagram = test::udp(8805, 8805, test::number(1, 8));
  datagram[5] = std::byte{17};
  EXPECT_FALSE(mirror.take(test::ethernet(0x0800, test::ipv4(datagram)), {}));
  EXPECT_EQ(mirror.counters().malformed, 1u);
}

TEST(Mirror, FragmentsOfBothVersionsBecomeOneDatagramInAnyOrder) {
  const Octets payload = test::repeated(test::text_octets("establishment "), 300);
  for (const bool over_ipv6 : {false, true}) {
    for (const bool backwards : {false, true}) {
      Mirror mirror(kMirrored);
      auto frames = test::fragments_of(test::udp(8805, 8805, payload), over_ipv6, 0x4711, 1480);
      if (backwards) std::ranges::reverse(frames);
      ASSERT_EQ(frames.size(), 3u);
      EXPECT_FALSE(mirror.take(frames[0], {}));
      EXPECT_FALSE(mirror.take(frames[1], {}));
      const auto datagram = mirror.take(frames[2], {});
      ASSERT_TRUE(datagram) << over_ipv6 << backwards;
      EXPECT_TRUE(std::ranges::equal(datagram->payload, payload));
      EXPECT_EQ(datagram->from.ipv6, over_ipv6);
      EXPECT_EQ(mirror.fragments().counters().reassembled, 1u);
    }
  }
}

TEST(Mirror, ExtensionHeadersWithinAReassembledPacketAreGoneThrough) {
  Mirror mirror(kMirrored);
  const Octets options = test::joined({test::number(17, 1), test::number(0, 7)});
  const Octets whole = test::joined({options, test::udp(8805, 8805, test::repeated(test::number(7, 1), 40))});
  const Octets first(whole.begin(), whole.begin() + 32), last(whole.begin() + 32, whole.end());
  EXPECT_FALSE(mirror.take(test::ethernet(0x86dd, test::ipv6_fragment(60, last, {5, 32, false})), {}));
  const auto datagram = mirror.take(test::ethernet(0x86dd, test::ipv6_fragment(60, first, {5, 0, true})), {});
  ASSERT_TRUE(datagram);
  EXPECT_EQ(datagram->payload.size(), 40u);
}

TEST(Mirror, FragmentsOfOtherPortsTakeNoMemory) {
  Mirror mirror(kMirrored);
  for (const auto& frame : test::fragments_of(test::udp(2152, 2152, Octets(4000)), false, 5, 1480)) {
    EXPECT_FALSE(mirror.take(frame, {}));
  }
  EXPECT_EQ(mirror.fragments().bytes(), 0u);
  EXPECT_EQ(mirror.counters().others, 1u);
}

TEST(Mirror, CutFrameIsCounted) {
  Mirror mirror(kMirrored);
  const Octets frame = test::ethernet(0x0800, test::ipv4(test::udp(8805, 8805, Octets(200))));
  EXPECT_FALSE(mirror.take(dp::Bytes(frame).first(96), {}));
  EXPECT_EQ(mirror.counters().cut, 1u);
}

}  // namespace
}  // namespace control::told
