#include "control/told/mirror/fragments.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/told/mirror_frames.h"

namespace control::told {
namespace {

using test::Octets;

dp::Time fragment_second(std::int64_t n) { return dp::time_ns(n * 1'000'000'000); }

Octets some_bytes(std::size_t size) {
  Octets bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

struct FragmentBench {
  explicit FragmentBench(const FragmentSettings& s = {}) : fragments(s) {}

  // True if the piece completes its packet.
  bool take(std::size_t offset, std::size_t size, bool more, std::uint32_t id = 1, std::int64_t at = 0) {
    const Octets all = some_bytes(100'000);
    IpPacket packet;
    packet.protocol = 17;
    packet.fragment = IpPacket::Fragment{id, offset, more};
    packet.payload = dp::Bytes(all).subspan(offset, size);
    const bool done = fragments.take(packet, fragment_second(at));
    if (done) {
      const Octets expected = some_bytes(packet.payload.size());
      EXPECT_TRUE(std::ranges::equal(packet.payload, expected));
      EXPECT_FALSE(packet.fragment);
    }
    return done;
  }

  Fragments fragments;
};

TEST(MirrorFragments, PacketIsWholeInEachOrderOfItsPieces) {
  std::vector<int> order{0, 1, 2, 3};
  do {
    FragmentBench b;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto n = static_cast<std::size_t>(order[i]);
      EXPECT_EQ(b.take(n * 80, n == 3 ? 17 : 80, n != 3), i == 3);
    }
    EXPECT_EQ(b.fragments.packets(), 0u);
    EXPECT_EQ(b.fragments.bytes(), 0u);
  } while (std::ranges::next_permutation(order).found);
}

TEST(MirrorFragments, PacketsOfOtherIdentifiersAreKeptApart) {
  FragmentBench b;
  EXPECT_FALSE(b.take(0, 80, true, 1));
  EXPECT_FALSE(b.take(80, 8, false, 2));
  EXPECT_EQ(b.fragments.packets(), 2u);
  EXPECT_TRUE(b.take(80, 8, false, 1));
  EXPECT_TRUE(b.take(0, 80, true, 2));
}

TEST(MirrorFragments, ExactCopyIsIgnored) {
  FragmentBench b;
  EXPECT_FALSE(b.take(0, 80, true));
  EXPECT_FALSE(b.take(0, 80, true));
  EXPECT_EQ(b.fragments.counters().copies, 1u);
  EXPECT_TRUE(b.take(80, 8, false));
}

TEST(MirrorFragments, OverlapDropsThePacketAndWhatComesOfItYet) {
  for (const auto& [offset, size] : {std::pair{72u, 80u}, {0u, 72u}, {8u, 8u}, {0u, 160u}}) {
    FragmentBench b;
    EXPECT_FALSE(b.take(0, 80, true));
    EXPECT_FALSE(b.take(offset, size, true)) << offset;
    EXPECT_EQ(b.fragments.counters().overlapping, 1u) << offset;
    EXPECT_EQ(b.fragments.bytes(), 0u);
    EXPECT_FALSE(b.take(0, 80, true));
    EXPECT_FALSE(b.take(80, 8, false)) << offset;
  }
}

TEST(MirrorFragments, LengthsThatContradictEachOtherDropThePacket) {
  FragmentBench odd, empty, beyond, twice, huge, shorter;
  odd.take(0, 81, true);
  empty.take(0, 0, true);
  beyond.take(80, 8, false);
  beyond.take(160, 8, true);
  twice.take(80, 8, false);
  twice.take(160, 8, false);
  huge.take(65528, 16, true);
  shorter.take(160, 8, true);
  shorter.take(80, 8, false);
  for (const FragmentBench* b : {&odd, &empty, &beyond, &twice, &huge, &shorter}) {
    EXPECT_EQ(b->fragments.counters().malformed, 1u);
    EXPECT_EQ(b->fragments.bytes(), 0u);
  }
}

TEST(MirrorFragments, PacketThatIsNotWholeInTimeIsDropped) {
  FragmentBench b;
  b.take(0, 80, true, 1, 0);
  EXPECT_FALSE(b.take(80, 8, false, 1, 30));
  EXPECT_EQ(b.fragments.counters().timed_out, 1u);
  EXPECT_EQ(b.fragments.packets(), 1u) << "the second piece alone";
}

TEST(MirrorFragments, PacketsAreBoundedAndTheOldestMakesRoom) {
  FragmentSettings settings;
  settings.packets = 2;
  FragmentBench b(settings);
  for (std::uint32_t id = 1; id <= 3; ++id) b.take(0, 80, true, id);
  EXPECT_EQ(b.fragments.packets(), 2u);
  EXPECT_EQ(b.fragments.counters().displaced, 1u);
  EXPECT_TRUE(b.take(80, 8, false, 3));
  EXPECT_FALSE(b.take(80, 8, false, 1));
}

TEST(MirrorFragments, BytesAndPiecesAreBounded) {
  FragmentSettings settings;
  settings.bytes = 2000;
  FragmentBench b(settings);
  for (std::uint32_t id = 1; id <= 50; ++id) {
    b.take(0, 800, true, id);
    EXPECT_LE(b.fragments.bytes(), settings.bytes);
  }
  EXPECT_FALSE(b.take(0, 4000, true, 99)) << "one piece that is larger than all may be";
  EXPECT_LE(b.fragments.bytes(), settings.bytes);
  FragmentBench many;
  for (std::size_t n = 0; n < 64; ++n) many.take(n * 8, 8, true);
  EXPECT_EQ(many.fragments.counters().malformed, 0u);
  many.take(64 * 8, 8, true);
  EXPECT_EQ(many.fragments.counters().malformed, 1u);
}

TEST(MirrorFragments, IgnoredPacketTakesNoMemory) {
  FragmentBench b;
  b.take(80, 80, true);
  IpPacket packet;
  packet.protocol = 17;
  packet.fragment = IpPacket::Fragment{1, 0, true};
  b.fragments.ignore(packet, fragment_second(0));
  b.take(160, 80, true);
  EXPECT_EQ(b.fragments.bytes(), 0u);
}

}  // namespace
}  // namespace control::told
