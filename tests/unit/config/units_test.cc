#include "config/notation/units.h"

#include <cstdint>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace config {
namespace {

using dp::Unit;

std::uint64_t value(Unit unit, std::string_view text) {
  const auto parsed = parse_quantity(unit, text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : ~std::uint64_t{0};
}

std::string refusal(Unit unit, std::string_view text) {
  const auto parsed = parse_quantity(unit, text);
  EXPECT_FALSE(parsed) << text;
  return parsed ? "" : parsed.error().message;
}

TEST(Units, RatesAreDecimalAndMayEndInBit) {
  EXPECT_EQ(value(Unit::rate, "64k"), 64'000u);
  EXPECT_EQ(value(Unit::rate, "384kbit/s"), 384'000u);
  EXPECT_EQ(value(Unit::rate, "8Mbit"), 8'000'000u);
  EXPECT_EQ(value(Unit::rate, "1.5M"), 1'500'000u);
  EXPECT_EQ(value(Unit::rate, "1G"), 1'000'000'000u);
  EXPECT_EQ(value(Unit::rate, "2500"), 2'500u);
  EXPECT_EQ(value(Unit::rate, "8 Mbit/s"), 8'000'000u);
  EXPECT_EQ(value(Unit::rate, "0.0015M"), 1'500u);
}

TEST(Units, SizesDistinguish1000From1024) {
  EXPECT_EQ(value(Unit::bytes, "1500B"), 1'500u);
  EXPECT_EQ(value(Unit::bytes, "1500"), 1'500u);
  EXPECT_EQ(value(Unit::bytes, "64kB"), 64'000u);
  EXPECT_EQ(value(Unit::bytes, "64KiB"), 65'536u);
  EXPECT_EQ(value(Unit::bytes, "1.5KiB"), 1'536u);
  EXPECT_EQ(value(Unit::bytes, "1MiB"), 1u << 20);
}

TEST(Units, DurationsAreNanosecondsAndNeedAUnitUnlessZero) {
  EXPECT_EQ(value(Unit::duration, "200ms"), 200'000'000u);
  EXPECT_EQ(value(Unit::duration, "10us"), 10'000u);
  EXPECT_EQ(value(Unit::duration, "1.5s"), 1'500'000'000u);
  EXPECT_EQ(value(Unit::duration, "2min"), 120'000'000'000u);
  EXPECT_EQ(value(Unit::duration, "1h"), 3'600'000'000'000u);
  EXPECT_EQ(value(Unit::duration, "0"), 0u);
  EXPECT_NE(refusal(Unit::duration, "200").find("it needs a unit"), std::string::npos);
}

TEST(Units, SdusMayBeWrittenWithTheirUnit) {
  EXPECT_EQ(value(Unit::sdus, "50sdu"), 50u);
  EXPECT_EQ(value(Unit::sdus, "50"), 50u);
}

TEST(Units, AnUnknownUnitIsNamedWithTheNearestOne) {
  const auto message = refusal(Unit::rate, "8m");
  EXPECT_NE(message.find("'m' is no unit"), std::string::npos) << message;
  EXPECT_NE(message.find("did you mean `8M`"), std::string::npos) << message;
  EXPECT_NE(refusal(Unit::bytes, "64kib").find("did you mean `64KiB`"), std::string::npos);
  EXPECT_NE(refusal(Unit::duration, "1.50 Min").find("did you mean `1.50min`"), std::string::npos);
}

TEST(Units, RatesInTheSpellingsOfOtherToolsAreNamedInOurs) {
  for (const auto* text : {"8Mbps", "8mbps", "8Mb/s", "8mbit", "8Mbits/s", "8 mbit/s", "8m", "8Mbit/sec"}) {
    EXPECT_NE(refusal(Unit::rate, text).find("did you mean `8M`"), std::string::npos)
        << refusal(Unit::rate, text);
  }
  EXPECT_NE(refusal(Unit::rate, "2mbit").find("did you mean `2M`"), std::string::npos);
  EXPECT_NE(refusal(Unit::rate, "1.5Gbps").find("did you mean `1.5G`"), std::string::npos);
  EXPECT_NE(refusal(Unit::rate, "384Kbps").find("did you mean `384k`"), std::string::npos);
}

TEST(Units, ARateInBytesIsNotTakenForOneInBits) {
  EXPECT_EQ(refusal(Unit::rate, "8MB/s").find("did you mean `8M`"), std::string::npos);
}

TEST(Units, WhatIsNoNumberIsRefused) {
  for (const auto* text : {"", "-5", "k", ".5M", "1.M", "1,5M", "0x10", "1e6", "5M5", "inf"}) {
    EXPECT_NE(refusal(Unit::rate, text), "") << text;
  }
}

TEST(Units, PartsOfTheSmallestUnitAreRefused) {
  EXPECT_NE(refusal(Unit::rate, "0.5").find("no whole number"), std::string::npos);
  EXPECT_NE(refusal(Unit::bytes, "0.1KiB").find("no whole number"), std::string::npos);
  EXPECT_EQ(value(Unit::rate, "5.0"), 5u);
}

TEST(Units, OverflowIsRefusedAtTheExactBoundary) {
  EXPECT_EQ(value(Unit::rate, "18446744073709551615"), ~std::uint64_t{0});
  EXPECT_NE(refusal(Unit::rate, "18446744073709551616"), "");
  EXPECT_NE(refusal(Unit::rate, "18446744074G"), "");
  EXPECT_NE(refusal(Unit::rate, std::string(1000, '9') + "G"), "");
}

TEST(Units, FormatIsTheShortestExactForm) {
  EXPECT_EQ(format_quantity(Unit::rate, 384'000), "384k");
  EXPECT_EQ(format_quantity(Unit::rate, 1'500'000), "1.5M");
  EXPECT_EQ(format_quantity(Unit::rate, 1'234), "1234");
  EXPECT_EQ(format_quantity(Unit::rate, 100), "100");
  EXPECT_EQ(format_quantity(Unit::bytes, 1u << 20), "1MiB");
  EXPECT_EQ(format_quantity(Unit::bytes, 64'000), "64kB");
  EXPECT_EQ(format_quantity(Unit::bytes, 1'500), "1500B");
  EXPECT_EQ(format_quantity(Unit::duration, 1'500'000'000), "1.5s");
  EXPECT_EQ(format_quantity(Unit::duration, 120'000'000'000), "120s");
  EXPECT_EQ(format_quantity(Unit::duration, 3'600'000'000'000), "1h");
  EXPECT_EQ(format_quantity(Unit::duration, 1'800'000'000'000), "1800s");
  EXPECT_EQ(format_quantity(Unit::sdus, 50), "50sdu");
  EXPECT_EQ(format_quantity(Unit::count, 8), "8");
}

TEST(Units, EveryFormattedQuantityReadsBackTheSame) {
  std::mt19937_64 random(7);
  for (auto unit : {Unit::rate, Unit::bytes, Unit::sdus, Unit::duration, Unit::count}) {
    for (int i = 0; i < 5'000; ++i) {
      const std::uint64_t number = random() >> random() % 64;
      ASSERT_EQ(value(unit, format_quantity(unit, number)), number) << format_quantity(unit, number);
    }
    for (std::uint64_t number : {0ull, 1ull, 1'000ull, 1'024ull, ~0ull}) {
      ASSERT_EQ(value(unit, format_quantity(unit, number)), number);
    }
  }
}

TEST(Units, RatiosAreFractionsOrPercent) {
  const auto unit = dp::Unit::ratio;
  EXPECT_EQ(*parse_real(unit, "10%"), 0.1);
  EXPECT_EQ(*parse_real(unit, "0.1"), 0.1);
  EXPECT_EQ(*parse_real(unit, "1"), 1.0);
  EXPECT_EQ(*parse_real(unit, "0.35%"), 0.0035);
  for (const auto* text : {"", "%", "-1%", "ten", "10 percent", "nan"})
    EXPECT_FALSE(parse_real(unit, text)) << text;
  EXPECT_EQ(format_real(unit, 0.1), "10%");
  EXPECT_EQ(format_real(unit, 0.005), "0.5%");
  EXPECT_EQ(format_real(unit, 0), "0");
  EXPECT_EQ(format_real(unit, 1), "1");
}

TEST(Units, NumbersHaveNoUnit) {
  const auto unit = dp::Unit::number;
  EXPECT_EQ(*parse_real(unit, "0.01"), 0.01);
  EXPECT_EQ(*parse_real(unit, "12"), 12.0);
  for (const auto* text : {"", "1%", "-1", "1e-3", ".5", "1s"}) EXPECT_FALSE(parse_real(unit, text)) << text;
  EXPECT_EQ(parse_real(unit, "1%").error().message, "a number such as 0.01, 1 or 2.5; '%' is no unit of it");
  EXPECT_EQ(format_real(unit, 0.01), "0.01");
  EXPECT_EQ(format_real(unit, 12), "12");
}

TEST(Units, EveryFormattedRatioAndNumberReadsBackTheSame) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 10'000; ++i) {
    const double value = i % 4 < 2 ? uniform(random) : uniform(random) * 1e-9;
    const auto unit = i % 2 == 0 ? dp::Unit::ratio : dp::Unit::number;
    ASSERT_EQ(*parse_real(unit, format_real(unit, value)), value) << format_real(unit, value);
  }
}

}  // namespace
}  // namespace config
