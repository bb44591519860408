#include "tools/lab/run/line.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace lab {
namespace {

using dp::Duration;
using dp::Time;
using Fate = Line::Fate;

Wire wire_of(std::uint64_t rate, std::int64_t delay_ms) {
  Wire wire;
  if (rate != 0) wire.rate = rate;
  wire.delay = Duration{delay_ms * 1'000'000};
  return wire;
}

std::int64_t ns_after(const Line::Passage& passage) { return dp::ns(passage.out); }

TEST(Line, WithoutARateAPacketTakesTheDelayAlone) {
  Line line(wire_of(0, 20), dp::Rng(1));
  const auto passage = line.pass(dp::time_ns(5), 1500);
  EXPECT_EQ(passage.fate, Fate::through);
  EXPECT_EQ(ns_after(passage), 20'000'005);
}

TEST(Line, PacketsAreSentOneBehindTheOtherAtTheRate) {
  Line line(wire_of(1'000'000, 100), dp::Rng(1));
  EXPECT_EQ(ns_after(line.pass(Time{}, 1500)), 112'000'000);
  EXPECT_EQ(ns_after(line.pass(Time{}, 1500)), 124'000'000);
  EXPECT_EQ(ns_after(line.pass(dp::time_ns(50'000'000), 40)), 150'320'000);
}

TEST(Line, AMillionPacketsAtAnOddRateLoseNoTimeToRounding) {
  Line line(wire_of(777'777, 0), dp::Rng(1));
  Time last{};
  for (int i = 0; i < 1'000'000; ++i) last = line.pass(Time{}, 1500).out;
  EXPECT_EQ(dp::ns(last), static_cast<std::int64_t>(std::ceil(12'000.0L * 1e6L * 1e9L / 777'777.0L)));
}

TEST(Line, AFullQueueLosesThePacketThatComesAndHasRoomWhenOneHasLeft) {
  Wire wire = wire_of(1'000'000, 10);
  wire.queue = 3;
  Line line(wire, dp::Rng(1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(line.pass(Time{}, 1500).fate, Fate::through);
  EXPECT_EQ(line.pass(Time{}, 1500).fate, Fate::overflow);
  EXPECT_EQ(line.pass(dp::time_ns(11'999'999), 1500).fate, Fate::overflow);
  const auto passage = line.pass(dp::time_ns(12'000'000), 1500);
  EXPECT_EQ(passage.fate, Fate::through);
  EXPECT_EQ(ns_after(passage), 58'000'000);
  EXPECT_EQ(line.pass(dp::time_ns(12'000'000), 1500).fate, Fate::overflow);
}

TEST(Line, JitterIsUniformAroundTheDelayWithinItsHalfRange) {
  Wire wire = wire_of(0, 75);
  wire.jitter = Duration{30'000'000};
  Line line(wire, dp::Rng(1));
  double sum = 0, squares = 0;
  const int packets = 200'000;
  for (int i = 0; i < packets; ++i) {
    const Time in = dp::time_ns(std::int64_t{i} * 1'000'000'000);
    const double ms = static_cast<double>((line.pass(in, 100).out - in).count()) * 1e-6;
    ASSERT_GE(ms, 45);
    ASSERT_LE(ms, 105);
    sum += ms;
    squares += ms * ms;
  }
  const double mean = sum / packets;
  EXPECT_NEAR(mean, 75, 0.2);
  EXPECT_NEAR(std::sqrt(squares / packets - mean * mean), 30 / std::sqrt(3.0), 0.1);
}

TEST(Line, WithJitterNoPacketOvertakesAnother) {
  Wire wire = wire_of(0, 75);
  wire.jitter = Duration{75'000'000};
  Line line(wire, dp::Rng(1));
  Time last{};
  for (int i = 0; i < 10'000; ++i) {
    const Time out = line.pass(dp::time_ns(std::int64_t{i} * 1'000'000), 100).out;
    ASSERT_GE(out, last);
    last = out;
  }
}

TEST(Line, LossIsOfItsShareAndEachPacketHasUsedTheRate) {
  Wire wire = wire_of(1'000'000, 0);
  wire.loss = 0.25;
  Line line(wire, dp::Rng(1));
  int lost = 0;
  const int packets = 100'000;
  for (int i = 0; i < packets; ++i) lost += line.pass(Time{}, 125).fate == Fate::lost;
  EXPECT_NEAR(lost, packets / 4, 4 * std::sqrt(packets * 0.25 * 0.75));
  EXPECT_EQ(ns_after(Line(wire_of(1'000'000, 0), dp::Rng(1)).pass(Time{}, 125)), 1'000'000);
  Line::Passage passage{Fate::lost};
  while (passage.fate == Fate::lost) passage = line.pass(Time{}, 125);
  EXPECT_GE(ns_after(passage), std::int64_t{packets + 1} * 1'000'000);
}

TEST(Line, LossesDoNotChangeWhereJitterIsDrawn) {
  Wire wire = wire_of(0, 10);
  wire.jitter = Duration{5'000'000};
  Line clean(wire, dp::Rng(7));
  wire.loss = 0.5;
  Line lossy(wire, dp::Rng(7));
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    const Time in = dp::time_ns(std::int64_t{i} * 1'000'000'000);
    const auto a = clean.pass(in, 100), b = lossy.pass(in, 100);
    if (b.fate == Fate::lost) continue;
    EXPECT_EQ(a.out, b.out);
    ++compared;
  }
  EXPECT_GT(compared, 300);
}

Wire wire_with(std::vector<std::uint32_t> at, std::int64_t delay_ms = 0) {
  Wire wire = wire_of(0, delay_ms);
  wire.trace = std::make_shared<const dp::RadioTrace>(dp::RadioTrace{"a.trace", std::move(at)});
  return wire;
}

TEST(Line, ByATraceEachPacketLeavesInTheNextOfItsMillisecondsAndTheTraceRepeats) {
  Line line(wire_with({2, 5, 5, 10}, 100), dp::Rng(1));
  for (const std::int64_t ms : {2, 5, 5, 10, 12, 15}) {
    EXPECT_EQ(ns_after(line.pass(Time{}, 1500)), (100 + ms) * 1'000'000);
  }
  EXPECT_EQ(ns_after(line.pass(dp::time_ns(40'000'000), 1500)), 142'000'000) << "what nobody used is gone";
  EXPECT_EQ(ns_after(line.pass(dp::time_ns(45'000'000), 1500)), 150'000'000) << "not at the very instant";
}

TEST(Line, ByATraceSmallPacketsShareWhatLeavesAtOnceAndALargeOneTakesSeveral) {
  Line line(wire_with({1, 2, 3, 4, 100}), dp::Rng(1));
  for (int i = 0; i < 37; ++i) EXPECT_EQ(ns_after(line.pass(Time{}, 40)), 1'000'000) << i;
  EXPECT_EQ(ns_after(line.pass(Time{}, 40)), 2'000'000) << "20 bytes were left, and 20 go on";
  EXPECT_EQ(ns_after(line.pass(Time{}, 2000)), 3'000'000);
  EXPECT_EQ(ns_after(line.pass(Time{}, 980)), 3'000'000);
  EXPECT_EQ(ns_after(line.pass(Time{}, 1500)), 4'000'000);
  EXPECT_EQ(ns_after(line.pass(Time{}, 1)), 100'000'000);
}

}  // namespace
}  // namespace lab
