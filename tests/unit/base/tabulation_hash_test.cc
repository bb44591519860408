#include "dataplane/base/tabulation_hash.h"

#include <array>

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(TabulationHash, IsTheSameFromTheSameSeedAndAnotherFromAnother) {
  EXPECT_EQ(TabulationHash(5)(7), TabulationHash(5)(7));
  EXPECT_NE(TabulationHash(5)(7), TabulationHash(6)(7));
  EXPECT_NE(TabulationHash(5)(7), TabulationHash(5)(8));
}

// Simple tabulation by its definition: what an octet adds does not depend on the others.
TEST(TabulationHash, IsTheSumOfWhatEachOctetAdds) {
  Rng rng(1);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TabulationHash hash(seed);
    const std::uint32_t none = hash(0);
    for (int i = 0; i < 50; ++i) {
      const auto key = static_cast<std::uint32_t>(rng.next());
      std::uint32_t sum = none;
      for (const std::uint32_t octet : {0xffu, 0xff00u, 0xff0000u, 0xff000000u})
        sum ^= hash(key & octet) ^ none;
      EXPECT_EQ(hash(key), sum);
    }
  }
}

// Whatever two keys: of 64 places they share one under one seed in 64, not under more.
TEST(TabulationHash, NoPairOfKeysSharesAPlaceUnderMoreSeedsThanChanceHas) {
  constexpr int kSeeds = 12'800;
  constexpr std::array<std::uint32_t, 6> kDifferences{1, 64, 0x100, 0x01010101, 0x80000000, ~0u};
  std::array<int, kDifferences.size()> alike{};
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const TabulationHash hash(seed);
    for (std::size_t i = 0; i < kDifferences.size(); ++i) {
      alike[i] += (hash(0x0a2d0001) & 63) == (hash(0x0a2d0001 ^ kDifferences[i]) & 63) ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < kDifferences.size(); ++i) {
    EXPECT_GT(alike[i], 120) << kDifferences[i];  // 200 are expected, give or take 14
    EXPECT_LT(alike[i], 280) << kDifferences[i];
  }
}

}  // namespace
}  // namespace dp
