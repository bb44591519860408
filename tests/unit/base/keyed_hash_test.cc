#include "dataplane/base/keyed_hash.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

// The definition, computed by division.
std::uint64_t by_definition(std::uint64_t seed, const std::vector<std::uint64_t>& words) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  Rng rng(seed);
  std::array<std::uint64_t, 15> secret{};
  for (auto& number : secret) number = rng.next() >> 3;
  Wide key = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    key += Wide{secret[5 + 2 * i]} * (words[i] & 0xffffffff) % kPrime;
    key += Wide{secret[6 + 2 * i]} * (words[i] >> 32) % kPrime;
  }
  const Wide x = words.empty() ? 0 : key % kPrime;
  Wide value = 0;
  for (std::size_t i = 0; i < 5; ++i) value = (value * x + secret[i]) % kPrime;
  return static_cast<std::uint64_t>(value);
}

TEST(KeyedHash, IsThePolynomialOfItsDefinition) {
  Rng rng(1);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const KeyedHash hash(seed);
    for (int i = 0; i < 50; ++i) {
      const auto word = [&] { return i == 0 ? ~std::uint64_t{0} : rng.next(); };
      const std::uint64_t a = word(), b = word(), c = word(), d = word(), e = word();
      EXPECT_EQ(hash(a), by_definition(seed, {a}));
      EXPECT_EQ(hash(a, b), by_definition(seed, {a, b}));
      EXPECT_EQ(hash(a, b, c, d, e), by_definition(seed, {a, b, c, d, e}));
    }
  }
}

TEST(KeyedHash, IsTheSameFromTheSameSeedAndAnotherFromAnother) {
  EXPECT_EQ(KeyedHash(5)(std::uint64_t{7}), KeyedHash(5)(std::uint64_t{7}));
  EXPECT_NE(KeyedHash(5)(std::uint64_t{7}), KeyedHash(6)(std::uint64_t{7}));
  EXPECT_NE(KeyedHash(5)(std::uint64_t{7}), KeyedHash(5)(std::uint64_t{8}));
}

// Whatever two keys: of 64 places they share one under one seed in 64, not under more.
TEST(KeyedHash, NoPairOfKeysSharesAPlaceUnderMoreSeedsThanChanceHas) {
  constexpr int kSeeds = 12'800;
  for (const std::uint64_t difference :
       {std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
        std::uint64_t{1} << 63, std::uint64_t{0x8000000200000008}, (std::uint64_t{1} << 61) - 1,
        ~std::uint64_t{0}}) {
    int alike = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const KeyedHash hash(seed);
      alike += (hash(std::uint64_t{0x20010db800450000}) & 63) ==
                       (hash(std::uint64_t{0x20010db800450000} ^ difference) & 63)
                   ? 1
                   : 0;
    }
    EXPECT_GT(alike, 120) << difference;  // 200 are expected, give or take 14
    EXPECT_LT(alike, 280) << difference;
  }
}

}  // namespace
}  // namespace dp
