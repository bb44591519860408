#include "dataplane/base/rng.h"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(Rng, NumbersAreThoseOfTheReferenceImplementation) {
  // Vigna's xoshiro256starstar.c, its state from his splitmix64.c.
  Rng rng(0);
  for (const std::uint64_t expected :
       {0x99ec5f36cb75f2b4u, 0xbf6e1f784956452au, 0x1a5f849d4933e6e0u, 0x6aa594f1262d2d2cu}) {
    EXPECT_EQ(rng.next(), expected);
  }
}

TEST(Rng, TheSameSeedGivesTheSameNumbersAndAnotherOneOthers) {
  Rng a(7), b(7), c(8);
  int alike = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto number = a.next();
    EXPECT_EQ(number, b.next());
    alike += number == c.next() ? 1 : 0;
  }
  EXPECT_EQ(alike, 0);
}

TEST(Rng, UniformNumbersFillTheUnitIntervalEvenly) {
  Rng rng(1);
  constexpr int kDraws = 1'000'000;
  std::array<int, 20> bins{};
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    ++bins[static_cast<std::size_t>(u * 20)];
  }
  double chi_square = 0;
  for (const int n : bins) chi_square += std::pow(n - kDraws / 20.0, 2) / (kDraws / 20.0);
  EXPECT_LT(chi_square, 43.8);  // 19 degrees of freedom, one in a thousand
}

TEST(Rng, AChanceComesTrueAsOftenAsItsProbabilitySays) {
  Rng rng(2);
  int never = 0, rare = 0, always = 0;
  for (int i = 0; i < 100'000; ++i) {
    never += rng.chance(0) ? 1 : 0;
    rare += rng.chance(0.1) ? 1 : 0;
    always += rng.chance(1) ? 1 : 0;
  }
  EXPECT_EQ(never, 0);
  EXPECT_NEAR(rare, 10'000, 4 * std::sqrt(100'000 * 0.1 * 0.9));
  EXPECT_EQ(always, 100'000);
}

TEST(Rng, BelowReachesEveryNumberAsOftenAndNoneBeyond) {
  Rng rng(3);
  std::array<int, 6> faces{};
  for (int i = 0; i < 60'000; ++i) ++faces.at(rng.below(6));
  for (const int n : faces) EXPECT_NEAR(n, 10'000, 4 * std::sqrt(60'000 * 5.0 / 36));
  EXPECT_EQ(rng.below(1), 0u);
  EXPECT_EQ(rng.below(0), 0u);
}

TEST(Rng, BelowIsFairWhereTheRangeDoesNotDivideTheNumbers) {
  // With 3/4 of 2^32 a generator that does not repeat unfair draws is low in the first third half the time.
  Rng rng(4);
  constexpr std::uint32_t kRange = 3u << 30;
  int low = 0;
  for (int i = 0; i < 30'000; ++i) low += rng.below(kRange) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(low, 10'000, 4 * std::sqrt(30'000 * 2.0 / 9));
}

TEST(Rng, AForkDoesNotAdvanceItsParentAndDependsOnItAndTheStream) {
  Rng parent(5), untouched(5);
  std::set<std::uint64_t> firsts;
  for (std::uint64_t stream = 0; stream < 10'000; ++stream) firsts.insert(parent.fork(stream).next());
  EXPECT_EQ(firsts.size(), 10'000u);
  EXPECT_EQ(parent.fork(3).next(), untouched.fork(3).next());
  EXPECT_EQ(parent.next(), untouched.next());
  EXPECT_NE(parent.fork(3).next(), Rng(5).fork(3).next());
}

TEST(Rng, StreamsOfOneParentAreUncorrelated) {
  const Rng parent(6);
  Rng a = parent.fork(0), b = parent.fork(1);
  double sum = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) sum += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  EXPECT_NEAR(sum / kDraws, 0, 4 * (1.0 / 12) / std::sqrt(kDraws));
}

}  // namespace
}  // namespace dp
