// The fading channel against the published model, against fading itself, and against its own arithmetic.
#include "dataplane/link/channel/markov.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace dp {
namespace {

struct Row {
  double fer, doppler, to_good, to_bad, bad_run, good_run;
  double bad_digit, good_digit;  // half a unit of the last digit printed
};

// Chockalingam and Zorzi's formulas, evaluated with the Marcum Q integrals as they print them.
constexpr Row kRows[] = {
    {0.1, 0.001, 0.007323, 0.000814, 136.6, 1229, 0.05, 0.5},
    {0.1, 0.01, 0.073149, 0.008128, 13.67, 123.0, 0.005, 0.05},
    {0.1, 0.02, 0.145824, 0.016203, 6.858, 61.72, 0.0005, 0.005},
    {0.1, 0.1, 0.629791, 0.069977, 1.588, 14.29, 0.0005, 0.005},
    {0.01, 0.01, 0.245695, 0.002482, 4.070, 402.9, 0.0005, 0.05},
    {0.01, 0.1, 0.947791, 0.009574, 1.055, 104.5, 0.0005, 0.05},
    {0.05, 0.01, 0.107615, 0.005664, 9.292, 176.6, 0.0005, 0.05},
    {0.2, 0.01, 0.047341, 0.011835, 21.12, 84.49, 0.005, 0.005},
};

ChannelSettings fading(double fer, double doppler) { return {.fer = fer, .doppler = doppler, .trace = {}}; }

TEST(FadingRates, AgreeWithTheMarcumQFormulasToTheDigitsPrinted) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(testing::Message() << "fer " << row.fer << " doppler " << row.doppler);
    const FadingRates rates = fading_rates(row.fer, row.doppler);
    EXPECT_NEAR(rates.to_good, row.to_good, 0.51e-6);
    EXPECT_NEAR(rates.to_bad, row.to_bad, 0.51e-6);
    EXPECT_NEAR(1 / rates.to_good, row.bad_run, 1.02 * row.bad_digit);
    EXPECT_NEAR(1 / rates.to_bad, row.good_run, 1.02 * row.good_digit);
  }
}

TEST(FadingRates, FastFadingHasNoMemory) {
  // J0 has its first zero at 2.404826: the samples are uncorrelated.
  const FadingRates rates = fading_rates(0.3, 2.404826 / (2 * std::numbers::pi));
  EXPECT_NEAR(rates.to_bad, 0.3, 1e-6);
  EXPECT_NEAR(rates.to_good, 0.7, 1e-6);
}

TEST(FadingRates, KeepTheShareOfLossesFromOneEndToTheOther) {
  for (const double fer : {1e-9, 1e-4, 0.5, 0.999, 1 - 1e-9}) {
    for (const double doppler : {0.0001, 0.01, 0.3, 1.0}) {
      const FadingRates rates = fading_rates(fer, doppler);
      SCOPED_TRACE(testing::Message() << "fer " << fer << " doppler " << doppler);
      EXPECT_TRUE(rates.to_bad > 0 && rates.to_bad <= 1 && rates.to_good > 0 && rates.to_good <= 1);
      EXPECT_NEAR(rates.to_bad / (rates.to_bad + rates.to_good) / fer, 1, 1e-6);
    }
  }
}

// Two complex Gaussian samples with Jakes' correlation: how often the first is good and the second bad.
TEST(FadingRates, AreThoseOfCorrelatedRayleighSamples) {
  constexpr double kFer = 0.1, kDoppler = 0.05;
  const double rho = std::cyl_bessel_j(0.0, 2 * std::numbers::pi * kDoppler);
  const double threshold = -std::log1p(-kFer);
  Rng rng(11);
  const auto gaussian = [&] {  // variance 1/2
    return std::sqrt(-std::log1p(-rng.uniform())) * std::cos(2 * std::numbers::pi * rng.uniform());
  };
  int good = 0, turned = 0;
  for (int i = 0; i < 400'000; ++i) {
    const double x = gaussian(), y = gaussian(), rest = std::sqrt(1 - rho * rho);
    const double next_x = rho * x + rest * gaussian(), next_y = rho * y + rest * gaussian();
    if (x * x + y * y < threshold) continue;
    ++good;
    turned += next_x * next_x + next_y * next_y < threshold ? 1 : 0;
  }
  const double expected = fading_rates(kFer, kDoppler).to_bad;
  EXPECT_NEAR(static_cast<double>(turned) / good, expected, 4 * std::sqrt(expected / good));
}

struct Measured {
  double share, run;
};

Measured measure(Markov& channel, std::uint64_t frames) {
  std::uint64_t lost = 0, runs = 0;
  bool before = false;
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    const bool now = channel.lost(frame);
    lost += now ? 1 : 0;
    runs += now && !before ? 1 : 0;
    before = now;
  }
  return {static_cast<double>(lost) / static_cast<double>(frames),
          static_cast<double>(lost) / static_cast<double>(runs)};
}

TEST(Markov, LosesTheShareThatIsSetInBurstsAsLongAsTheModelSays) {
  for (const auto& [fer, doppler] : {std::pair{0.1, 0.01}, {0.1, 0.1}, {0.01, 0.01}, {0.2, 0.02}}) {
    SCOPED_TRACE(testing::Message() << "fer " << fer << " doppler " << doppler);
    Markov channel(fading(fer, doppler), Rng(1));
    const Measured got = measure(channel, 4'000'000);
    // About 30,000 bursts: a share and a length are off by some 1 % at most.
    EXPECT_NEAR(got.share / fer, 1, 0.03);
    EXPECT_NEAR(got.run * fading_rates(fer, doppler).to_good, 1, 0.03);
  }
}

TEST(Markov, FramesNotAskedForPassAsIfTheyHadBeen) {
  constexpr std::uint64_t kEvery = 7;
  struct Count {
    int asked = 0, lost = 0, pairs = 0;
  } each, seventh;
  Markov a(fading(0.1, 0.01), Rng(2)), b(fading(0.1, 0.01), Rng(3));
  const auto note = [](Count& count, bool now, bool& before) {
    ++count.asked;
    count.lost += now ? 1 : 0;
    count.pairs += now && before ? 1 : 0;
    before = now;
  };
  bool a_before = false, b_before = false;
  for (std::uint64_t frame = 0; frame < 7'000'000; ++frame) {
    const bool lost = a.lost(frame);
    if (frame % kEvery == 0) note(each, lost, a_before);
    if (frame % kEvery == 0) note(seventh, b.lost(frame), b_before);
  }
  EXPECT_NEAR(static_cast<double>(seventh.lost) / seventh.asked, 0.1, 0.003);
  // Lost seven frames after a loss: fer + (1 - fer) * memory^7.
  const FadingRates rates = fading_rates(0.1, 0.01);
  const double again = 0.1 + 0.9 * std::pow(1 - rates.to_bad - rates.to_good, kEvery);
  EXPECT_NEAR(static_cast<double>(each.pairs) / each.lost, again, 0.01);
  EXPECT_NEAR(static_cast<double>(seventh.pairs) / seventh.lost, again, 0.01);
}

TEST(Markov, AVeryLongPauseIsForgotten) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    Markov channel(fading(0.3, 0.001), Rng(seed));
    lost += channel.lost(std::uint64_t{1} << 50) ? 1 : 0;
  }
  EXPECT_NEAR(lost, 3000, 4 * std::sqrt(10'000 * 0.3 * 0.7));
}

TEST(Markov, TheFirstFrameIsLostAsOftenAsAny) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    lost += Markov(fading(0.1, 0.0001), Rng(seed)).lost(0) ? 1 : 0;
  }
  EXPECT_NEAR(lost, 1000, 4 * std::sqrt(10'000 * 0.1 * 0.9));
}

TEST(Markov, NoErrorsAndNothingButErrorsAreChannelsToo) {
  Markov clean(fading(0, 0.01), Rng(4)), dead(fading(1, 0.01), Rng(4));
  for (std::uint64_t frame = 0; frame < 10'000; ++frame) {
    EXPECT_FALSE(clean.lost(frame));
    EXPECT_TRUE(dead.lost(frame));
  }
  Markov nearly_dead(fading(0.99, 0.1), Rng(5));
  const Measured got = measure(nearly_dead, 1'000'000);
  EXPECT_NEAR(got.share, 0.99, 0.002);
}

TEST(Markov, AChannelThatStandsStillStaysAsItBegan) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Markov channel(fading(0.5, 0), Rng(seed));
    const bool lost = channel.lost(0);
    for (std::uint64_t frame = 1; frame < 100; ++frame) EXPECT_EQ(channel.lost(frame * frame), lost);
  }
}

TEST(Markov, TheSameSeedLosesTheSameFrames) {
  Markov a(fading(0.1, 0.05), Rng(6)), b(fading(0.1, 0.05), Rng(6)), c(fading(0.1, 0.05), Rng(7));
  int differ = 0;
  for (std::uint64_t frame = 0; frame < 10'000; ++frame) {
    const bool lost = a.lost(frame);
    EXPECT_EQ(lost, b.lost(frame));
    differ += lost != c.lost(frame) ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace dp
