#include "control/told/radius/rate_limit.h"

#include <gtest/gtest.h>

namespace control::told::radius {
namespace {

TEST(RadiusRateLimit, RatesHaveSuffixesOfAThousand) {
  EXPECT_EQ(parse_rate_limit("10M/5M"), (RateLimit{10'000'000, 5'000'000}));
  EXPECT_EQ(parse_rate_limit("512k/1G"), (RateLimit{512'000, 1'000'000'000}));
  EXPECT_EQ(parse_rate_limit("64000/128000"), (RateLimit{64'000, 128'000}));
}

TEST(RadiusRateLimit, ASingleRateIsForBothWays) {
  EXPECT_EQ(parse_rate_limit("2M"), (RateLimit{2'000'000, 2'000'000}));
}

TEST(RadiusRateLimit, BurstsThresholdsAndPrioritiesAreSkipped) {
  EXPECT_EQ(parse_rate_limit("10M/20M 15M/25M 8M/16M 10/10 8 1M/1M"), (RateLimit{10'000'000, 20'000'000}));
  EXPECT_EQ(parse_rate_limit(" 1M/2M 3M"), (RateLimit{1'000'000, 2'000'000}));
  EXPECT_EQ(parse_rate_limit(std::string_view("1M/2M\0", 6)), (RateLimit{1'000'000, 2'000'000}));
}

TEST(RadiusRateLimit, ZeroIsARate) { EXPECT_EQ(parse_rate_limit("0/0"), (RateLimit{0, 0})); }

TEST(RadiusRateLimit, WhatIsNoRateIsRefused) {
  for (const char* text : {"", " ", "/", "10M/", "/5M", "10X/5M", "-1/5", "10M/5M/3M", "ten/five", "1.5M/2M",
                           "99999999999999999999/1", "9999999999G/1", "0x10/1"}) {
    EXPECT_FALSE(parse_rate_limit(text)) << text;
  }
}

}  // namespace
}  // namespace control::told::radius
