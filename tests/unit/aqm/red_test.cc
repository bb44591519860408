// RED by the instantaneous occupancy: probability, spacing, victims, gentle; and by its average.
#include "dataplane/aqm/red.h"

#include <array>
#include <cmath>

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
  config.victim = Red::DropFrom::arriving;
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

// RED as it was before it had a weight.
class WithoutWeight {
 public:
  WithoutWeight(const Red::Config& config, Rng rng) : config_(config), rng_(rng) {}
  Verdict on_enqueue(const QueueView& queue) {
    const double p = probability(queue);
    if (p <= 0) return count_ = -1, Verdict::pass;
    if (p < 1) {
      ++count_;
      const double spaced = !config_.count ? p : count_ * p < 1 ? p / (1 - count_ * p) : 1;
      if (!rng_.chance(spaced)) return Verdict::pass;
    }
    count_ = 0;
    return verdict(config_.ecn && p < 1, config_.victim == Red::DropFrom::front);
  }

 private:
  double probability(const QueueView& queue) const {
    const auto [gauge, minth, maxth] = Thresholds(config_.minth, config_.maxth);
    const double occupancy = gauge.occupancy(queue);
    if (occupancy < minth) return 0;
    if (occupancy < maxth) return config_.maxp * (occupancy - minth) / (maxth - minth);
    if (!config_.gentle) return 1;
    return std::min(1.0, config_.maxp + (1 - config_.maxp) * (occupancy - maxth) / maxth);
  }
  int count_ = -1;
  Red::Config config_;
  Rng rng_;
};

TEST(Red, WithWeightOneItIsTheOneWithoutAWeight) {
  for (unsigned which = 0; which < 32; ++which) {
    Red::Config config{.minth = {20}, .maxth = {40}, .maxp = 0.3};
    if ((which & 1) != 0) config.count = false;
    if ((which & 2) != 0) config.gentle = true;
    if ((which & 4) != 0) config.victim = Red::DropFrom::arriving;
    if ((which & 8) != 0) config.ecn = true;
    if ((which & 16) != 0) config.maxth = {60'000, true};
    Red red(config, Rng(which));
    WithoutWeight before(config, Rng(which));
    Rng rng(99);
    std::uint32_t sdus = 0;
    for (std::int64_t t = 0; t < 20'000; ++t) {
      sdus = std::min(sdus + rng.below(4), 90u) - std::min(sdus, rng.below(4));
      const QueueView queue{sdus + 1, (sdus + 1) * 1100, 384'000, sdus};
      const Sdu sdu{};
      if (rng.below(10) == 0) red.on_bypass(sdu, queue, Time{Duration{t * 1'000'000}});
      ASSERT_EQ(red.on_enqueue(sdu, queue, Time{Duration{t * 1'000'000}}), before.on_enqueue(queue)) << which;
    }
  }
}

constexpr double kWeight = 0.022;
constexpr Red::Config kAveraging{
    .minth = {60}, .maxth = {100}, .maxp = 0.1, .victim = Red::DropFrom::arriving, .weight = kWeight};

Sdu sdu_of(std::uint32_t bytes) {
  Sdu sdu{};
  sdu.ip_len = bytes;
  return sdu;
}

TEST(RedAverage, EachArrivalMovesItByItsWeight) {
  Red red(kAveraging, Rng(1));
  Rng rng(3);
  double average = 0;
  for (std::int64_t t = 0; t < 10'000; ++t) {
    const std::uint32_t sdus = 2 + rng.below(120);
    average = (1 - kWeight) * average + kWeight * sdus;
    const QueueView queue{sdus, sdus * 512, 2'000'000, sdus};
    const Time now{Duration{t * 1'000'000}};
    if (rng.below(3) == 0) {
      red.on_bypass(sdu_of(512), queue, now);
    } else {
      red.on_enqueue(sdu_of(512), queue, now);
    }
    ASSERT_NEAR(red.average(), average, 1e-9 * average) << t;
  }
}

TEST(RedAverage, SixtyFourArrivalsThatFindTheSameComeSoNearToIt) {
  Red red(kAveraging, Rng(1));
  for (int i = 0; i < 64; ++i) red.on_enqueue(sdu_of(512), {50, 50 * 512, 2'000'000, 50}, Time{});
  EXPECT_NEAR(red.average(), 50 * (1 - std::pow(1 - kWeight, 64)), 1e-9);
  EXPECT_NEAR(red.average() / 50, 0.759, 0.001);
}

TEST(RedAverage, TheAverageDecidesAndNotWhatIsThereNow) {
  Red::Config config = kAveraging;
  config.maxp = 0;  // nothing is dropped by chance
  Red red(config, Rng(1));
  const QueueView full{128, 128 * 512, 2'000'000, 128}, two{2, 1024, 2'000'000, 2};
  int passed = 0;
  while (red.on_enqueue(sdu_of(512), full, Time{}) == Verdict::pass) ++passed;
  EXPECT_EQ(passed, 68) << "log(1 - 100 / 128) / log(1 - w) is 68.3";
  for (int i = 0; i < 30; ++i) red.on_enqueue(sdu_of(512), full, Time{});
  ASSERT_GT(red.average(), 105);
  EXPECT_EQ(red.on_enqueue(sdu_of(512), two, Time{}), Verdict::drop) << "although nearly nothing is there";
  while (red.average() >= 100) red.on_enqueue(sdu_of(512), two, Time{});
  EXPECT_EQ(red.on_enqueue(sdu_of(512), two, Time{}), Verdict::pass);
}

TEST(RedAverage, TheShareDroppedIsThatOfTheAverage) {
  Red::Config config = kAveraging;
  config.count = false;
  config.maxp = 0.5;
  const auto share = [&](std::uint32_t sdus, bool gentle) {
    config.gentle = gentle;
    Red red(config, Rng(5));
    const QueueView queue{sdus, sdus * 512, 2'000'000, sdus};
    for (int i = 0; i < 2000; ++i) red.on_enqueue(sdu_of(512), queue, Time{});
    int dropped = 0;
    for (int i = 0; i < kDraws; ++i) dropped += red.on_enqueue(sdu_of(512), queue, Time{}) != Verdict::pass;
    return static_cast<double>(dropped) / kDraws;
  };
  EXPECT_EQ(share(59, false), 0);
  EXPECT_NEAR(share(80, false), 0.25, 0.01);
  EXPECT_EQ(share(101, false), 1);
  EXPECT_NEAR(share(150, true), 0.75, 0.01);
}

// Floyd and Jacobson 1993 section 4.
TEST(RedAverage, AnEmptyQueueCountsAsThePacketsThatItCouldHaveSentMeanwhile) {
  Red red(kAveraging, Rng(1));
  const std::uint64_t rate = 512 * 8 * 100;  // 10 ms a packet
  for (int i = 0; i < 500; ++i) red.on_enqueue(sdu_of(512), {40, 40 * 512, rate, 40}, Time{});
  const double before = red.average();
  ASSERT_NEAR(before, 40, 0.01);
  // The forty are gone after 400 ms; then it rests for 30 packets' time.
  red.on_enqueue(sdu_of(512), {1, 512, rate, 1}, Time{Duration{700'000'000}});
  const double after = before * std::pow(1 - kWeight, 30);
  EXPECT_NEAR(red.average(), after + kWeight * (1 - after), 1e-6);
}

TEST(RedAverage, NoTimeIsIdleWhileSomethingIsThereOrTheModeIsBlock) {
  const std::uint64_t rate = 512 * 8 * 100;
  for (const bool blocked : {false, true}) {
    Red red(kAveraging, Rng(1));
    for (int i = 0; i < 500; ++i) red.on_enqueue(sdu_of(512), {40, 40 * 512, rate, 40}, Time{});
    const double before = red.average();
    const std::uint32_t sdus = blocked ? 1 : 2;
    if (blocked) red.postpone(Duration{60'000'000'000});
    red.on_enqueue(sdu_of(512), {sdus, 512, rate, sdus}, Time{Duration{60'300'000'000}});
    EXPECT_NEAR(red.average(), before + kWeight * (sdus - before), 1e-9);
  }
}

TEST(RedAverage, OtherParametersKeepItAndOneThatBeginsIsWhatIsThere) {
  Red red(kAveraging, Rng(1));
  const QueueView queue{50, 50 * 512, 2'000'000, 50};
  for (int i = 0; i < 30; ++i) red.on_enqueue(sdu_of(512), queue, Time{});
  const double average = red.average();
  Red::Config other = kAveraging;
  other.weight = 0.1;
  other.maxth = {90};
  red.reconfigure(other, queue, Time{});
  EXPECT_EQ(red.average(), average);
  other.maxth = {60'000, true};
  red.reconfigure(other, queue, Time{});
  EXPECT_EQ(red.average(), 50 * 512) << "in bytes from here on";
  red.reconfigure(kPlain, queue, Time{});
  EXPECT_EQ(arrive(red, 15), Verdict::pass);
  EXPECT_EQ(arrive(red, 40), Verdict::drop_front);
  red.reconfigure(kAveraging, queue, Time{});
  EXPECT_EQ(red.average(), 50);
}

}  // namespace
}  // namespace dp
