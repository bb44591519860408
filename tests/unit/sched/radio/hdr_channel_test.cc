#include "dataplane/sched/radio/hdr_channel.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

double power_of(double db) { return std::pow(10, db / 10); }

TEST(HdrChannel, EachRateIsCarriedFromItsSnrOn) {
  const HdrChannel channel({.snr = 0}, 0);
  std::uint64_t below = 0;
  for (const HdrRate& row : kHdrRates) {
    EXPECT_EQ(channel.rate_of(power_of(row.snr_db - 0.01)), below) << row.snr_db;
    EXPECT_EQ(channel.rate_of(power_of(row.snr_db + 0.01)), row.rate) << row.snr_db;
    below = row.rate;
  }
  EXPECT_EQ(channel.rate_of(0), 0u);
  EXPECT_EQ(channel.rate_of(1e9), 2'457'600u);
}

TEST(HdrChannel, TheMeanSnrMovesTheFading) {
  const HdrChannel better({.snr = 3}, 0);
  EXPECT_EQ(better.rate_of(power_of(0.01)), 1'228'800u);
  EXPECT_EQ(better.rate_of(power_of(-0.01)), 921'600u);
}

// Over the exponential distribution of power each row is had for exp(-p_i) - exp(-p_i+1) of the time.
TEST(HdrChannel, AtOneDecibelAMobileHasItsMeanRate) {
  double expected = 0;
  for (std::size_t i = 0; i < kHdrRates.size(); ++i) {
    const double from = power_of(kHdrRates[i].snr_db - 1);
    const double to = i + 1 == kHdrRates.size() ? 1e9 : power_of(kHdrRates[i + 1].snr_db - 1);
    expected += static_cast<double>(kHdrRates[i].rate) * (std::exp(-from) - std::exp(-to));
  }
  double sum = 0;
  for (std::uint64_t number = 0; number < 8; ++number) {
    HdrChannel channel({}, number);
    for (std::uint64_t slot = 0; slot < 300'000; ++slot) sum += static_cast<double>(channel.rate(slot));
  }
  EXPECT_NEAR(sum / (8 * 300'000) / expected, 1, 0.02);
  EXPECT_NEAR(expected, 600'000, 12'000) << "001 section 5: 600 kbit/s for one user";
}

TEST(HdrChannel, MobilesOfLikeSettingsFadeByThemselves) {
  HdrChannel a({}, 0), b({}, 1), again({}, 0);
  int same = 0;
  for (std::uint64_t slot = 0; slot < 6000; ++slot) {
    const auto rate = a.rate(slot);
    EXPECT_EQ(rate, again.rate(slot));
    same += rate == b.rate(slot);
  }
  EXPECT_LT(same, 3000);
}

}  // namespace
}  // namespace dp
