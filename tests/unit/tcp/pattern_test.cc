#include "dataplane/tcp/pattern.h"

#include <vector>

#include <gtest/gtest.h>

#include "dataplane/packet/checksum.h"

namespace dp {
namespace {

std::vector<std::byte> filled(std::uint32_t seq, std::size_t n) {
  std::vector<std::byte> out(n);
  Pattern::fill(seq, out);
  return out;
}

TEST(Pattern, OfAnyPieceIsWhatEachOfItsSequenceNumbersSays) {
  for (const std::uint32_t seq : {0u, 1u, 8190u, 8191u, 123'456'789u, 0xfffff000u, 0xffffffffu}) {
    const auto piece = filled(seq, 20'000);
    for (std::uint32_t i = 0; i < piece.size(); ++i) ASSERT_EQ(piece[i], Pattern::at(seq + i)) << seq << i;
    EXPECT_TRUE(Pattern::matches(seq, piece));
  }
}

TEST(Pattern, HasTheSumThatItsBytesHave) {
  for (const std::uint32_t seq : {0u, 1u, 8190u, 8191u, 123'456'789u, 0xfffff000u, 0xffffffffu}) {
    for (const std::size_t n : {0u, 1u, 2u, 3u, 1460u, 8190u, 8191u, 8192u, 20'001u}) {
      EXPECT_EQ(Pattern::sum(seq, n), InternetSum{}.add(filled(seq, n)).folded()) << seq << " " << n;
    }
  }
}

TEST(Pattern, TellsAByteThatIsWrong) {
  for (std::size_t i = 0; i < 10'000; i += 37) {
    auto piece = filled(0xffffff00, 10'000);
    piece[i] ^= std::byte{1};
    EXPECT_FALSE(Pattern::matches(0xffffff00, piece)) << i;
  }
}

TEST(Pattern, TellsAPieceOutOfPlaceByAnyNumberOfSegments) {
  const auto piece = filled(1000, 1460);
  for (std::uint32_t n = 1; n < 2000; ++n) EXPECT_FALSE(Pattern::matches(1000 + n * 1460, piece)) << n;
  for (std::uint32_t n = 1; n < 8191; ++n) EXPECT_FALSE(Pattern::matches(1000 + n, piece)) << n;
}

}  // namespace
}  // namespace dp
