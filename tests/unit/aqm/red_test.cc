// RED by the instantaneous occupancy: probability, spacing, victims, gentle.
#include "dataplane/aqm/red.h"

#include <array>

#include <gtest/gtest.h>

namespace dp {
namespace {

constexpr int kDraws = 100'000;
constexpr Red::Config kPlain{.minth = {20}, .maxth = {40}, .maxp = 0.5, .count = false};

QueueView occupied(std::uint32_t sdus) { return {sdus, sdus * 1500, 384'000, sdus}; }

Verdict arrive(Red& red, std::uint32_t sdus) {
  const Sdu sdu{};
  return red.on_enqueue(sdu, occupied(sdus), Time{});
}

double share_dropped(const Red::Config& config, std::uint32_t sdus) {
  Red red(config, Rng(7));
  int dropped = 0;
  for (int i = 0; i < kDraws; ++i) dropped += arrive(red, sdus) != Verdict::pass;
  return static_cast<double>(dropped) / kDraws;
}

TEST(Red, TheProbabilityRisesFromMinthToMaxth) {
  EXPECT_EQ(share_dropped(kPlain, 19), 0);
  EXPECT_EQ(share_dropped(kPlain, 20), 0);
  EXPECT_NEAR(share_dropped(kPlain, 25), 0.125, 0.01);
  EXPECT_NEAR(share_dropped(kPlain, 30), 0.25, 0.01);
  EXPECT_NEAR(share_dropped(kPlain, 39), 0.475, 0.01);
  EXPECT_EQ(share_dropped(kPlain, 40), 1);
}

// p_a = p / (1 - count p) with p = 1/4 and count from 1: 1/3, 1/2, 1.
TEST(Red, ByCountTheSpacingIsUniform) {
  Red::Config config = kPlain;
  config.count = true;
  Red red(config, Rng(7));
  std::array<int, 5> spacing{};
  std::size_t since = 0;
  while (arrive(red, 30) == Verdict::pass) {
  }
  int drops = 0;
  for (; drops < kDraws; since = 0, ++drops) {
    do {
      ASSERT_LT(++since, spacing.size());
    } while (arrive(red, 30) == Verdict::pass);
    ++spacing[since];
  }
  for (const std::size_t s : {1u, 2u, 3u}) EXPECT_NEAR(spacing[s], kDraws / 3.0, kDraws * 0.01) << s;
  EXPECT_EQ(spacing[4], 0);
}

TEST(Red, TheVictimIsTheFirstSduOrTheArriving) {
  Red front(kPlain, Rng(7));
  EXPECT_EQ(arrive(front, 40), Verdict::drop_front);
  Red::Config config = kPlain;
  config.victim = Red::Victim::arriving;
  Red arriving(config, Rng(7));
  EXPECT_EQ(arrive(arriving, 40), Verdict::drop);
}

TEST(Red, GentleGoesOnFromMaxpToOneAtTwiceMaxth) {
  Red::Config config = kPlain;
  config.gentle = true;
  EXPECT_NEAR(share_dropped(config, 40), 0.5, 0.01);
  EXPECT_NEAR(share_dropped(config, 60), 0.75, 0.01);
  EXPECT_EQ(share_dropped(config, 80), 1);
}

TEST(Red, WithEcnItMarksUpToMaxthAndDropsFromThere) {
  Red::Config config = kPlain;
  config.ecn = true;
  config.maxp = 1;
  Red red(config, Rng(7));
  Verdict verdict = Verdict::pass;
  while (verdict == Verdict::pass) verdict = arrive(red, 39);
  EXPECT_EQ(verdict, Verdict::mark_front);
  EXPECT_EQ(arrive(red, 40), Verdict::drop_front);
}

TEST(Red, NewParametersCountFromTheNextSduOn) {
  Red red(kPlain, Rng(7));
  EXPECT_EQ(arrive(red, 15), Verdict::pass);
  red.reconfigure({.minth = {5}, .maxth = {15}}, occupied(15), Time{});
  EXPECT_EQ(arrive(red, 15), Verdict::drop_front);
}

}  // namespace
}  // namespace dp
