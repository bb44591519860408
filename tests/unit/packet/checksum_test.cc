#include "dataplane/packet/checksum.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp {
namespace {

using test::bytes;

// RFC 1071 section 1, word by word.
std::uint16_t plain_checksum(Bytes data) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    sum += std::uint32_t{load8(&data[i])} << (i % 2 == 0 ? 8 : 0);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(~sum);
}

test::Buffer random_bytes(std::mt19937& rng, std::size_t n) {
  test::Buffer out(n);
  for (auto& b : out) b = static_cast<std::byte>(rng());
  return out;
}

TEST(Checksum, OfTheExampleInRfc1071IsItsComplement) {
  EXPECT_EQ(InternetSum{}.add(bytes({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7})).folded(), 0xddf2);
  EXPECT_EQ(internet_checksum(bytes({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7})), 0x220d);
}

TEST(Checksum, OfNothingIsAllOnes) { EXPECT_EQ(internet_checksum({}), 0xffff); }

TEST(Checksum, OfAnyLengthEqualsTheSumWordByWord) {
  std::mt19937 rng(1);
  for (std::size_t n = 0; n < 200; ++n) {
    const auto data = random_bytes(rng, n);
    EXPECT_EQ(internet_checksum(data), plain_checksum(data)) << n;
  }
}

TEST(Checksum, OfAFrameOfAnyLengthEqualsTheSumWordByWord) {
  std::mt19937 rng(3);
  const auto data = random_bytes(rng, 2048);
  const Bytes whole = data;
  for (std::size_t n = 200; n < 1600; ++n) {
    const Bytes part = whole.subspan(n % 64, n);
    ASSERT_EQ(internet_checksum(part), plain_checksum(part)) << n;
  }
}

// The longest is longer than what is summed up at a time.
TEST(Checksum, OfOneByteOverAndOverIsRightAtAnyLength) {
  for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
    for (const std::size_t n : {64u, 1500u, 65'535u, 262'144u, 700'001u}) {
      const test::Buffer data(n, static_cast<std::byte>(value));
      EXPECT_EQ(internet_checksum(data), plain_checksum(data)) << value << " " << n;
    }
  }
}

TEST(Checksum, ThatFoldsThreeTimesIsRight) {
  const auto data = bytes({0, 0, 1, 0, 255, 255, 255, 255});
  EXPECT_EQ(internet_checksum(data), plain_checksum(data));
}

TEST(Checksum, OfPiecesEqualsThatOfTheWhole) {
  std::mt19937 rng(2);
  const auto data = random_bytes(rng, 61);
  const Bytes whole = data;
  EXPECT_EQ(InternetSum{}.add(whole.first(10)).add(whole.subspan(10)).checksum(), plain_checksum(data));
}

TEST(Checksum, OfNumbersEqualsThatOfTheirBytes) {
  EXPECT_EQ(InternetSum{}.add16(0x1234).add32(0x56789abc).checksum(),
            plain_checksum(bytes({0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc})));
}

TEST(Checksum, OfDataWithItsOwnChecksumSumsToAllOnes) {
  auto data = bytes({0x45, 0, 0, 20, 1, 2, 3, 4, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2});
  store16(data.data() + 10, internet_checksum(data));
  EXPECT_EQ(InternetSum{}.add(data).folded(), 0xffff);
}

TEST(ChecksumUpdate, InTheExampleOfRfc1624GivesZeroWhereEquation2DidNot) {
  EXPECT_EQ(checksum_update16(0xdd2f, 0x5555, 0x3285), 0x0000);
}

TEST(ChecksumUpdate, Of16BitsEqualsFullRecomputation) {
  std::mt19937 rng(3);
  for (int i = 0; i < 20000; ++i) {
    auto data = random_bytes(rng, 40);
    const std::uint16_t before = load16(data.data() + 14);
    const std::uint16_t sum = internet_checksum(data);
    const auto after = static_cast<std::uint16_t>(i % 3 == 0 ? 0 : i % 3 == 1 ? 0xffff : rng());
    store16(data.data() + 14, after);
    EXPECT_EQ(checksum_update16(sum, before, after), internet_checksum(data));
  }
}

TEST(ChecksumUpdate, ToTheSameValueChangesNothing) {
  for (std::uint32_t sum = 0; sum < 0xffff; ++sum) {  // 0xffff: the sum of all-zero data alone
    EXPECT_EQ(checksum_update16(static_cast<std::uint16_t>(sum), 0x1234, 0x1234), sum);
  }
}

}  // namespace
}  // namespace dp
