#include "control/metrics/box_watch.h"

#include <thread>

#include <gtest/gtest.h>

#include "tests/support/test_runtime.h"

namespace control {
namespace {

using namespace std::chrono_literals;

TEST(BoxWatch, KnowsNothingBeforeTheSecondSampleAndThenTheGrowth) {
  dp::test::TestRuntime runtime;
  BoxWatch box;
  BoxWatch::Clock::time_point now{1h};
  box.sample(runtime, now);
  EXPECT_EQ(box.read().seconds, 0);
  EXPECT_FALSE(box.read().port_drops(0));
  EXPECT_FALSE(box.read().starved(0));
  runtime.io.offer(dp::Side::core, {.dst = dp::test::Ip("10.45.0.2")});
  while (runtime.io.sent() < 1) std::this_thread::sleep_for(1ms);
  for (int n = 0; n < 20; ++n) box.sample(runtime, now += 1s);
  EXPECT_EQ(box.read().seconds, 10) << "older samples go";
  EXPECT_EQ(box.read().dropped_at_ports, 0u) << "the losses of its drivers do not grow";
  EXPECT_EQ(box.busy_ratios().size(), 1u);
  EXPECT_EQ(box.load().size(), 1u);
  runtime.stop();
}

TEST(BoxWatch, JudgesByShares) {
  BoxWatch::Reading reading{.seconds = 10, .received = 10'000, .dropped_at_ports = 10};
  EXPECT_FALSE(reading.port_drops(0));
  reading.missed = 1;
  EXPECT_TRUE(reading.port_drops(0));
  reading.stolen_ratio = {0.6, 0.7};
  EXPECT_FALSE(reading.starved(0));
  EXPECT_TRUE(reading.starved(1));
  EXPECT_TRUE(reading.port_drops(0));
  EXPECT_FALSE(reading.port_drops(1)) << "it was not there to take it";
  EXPECT_FALSE(reading.starved(2)) << "there is none";
}

}  // namespace
}  // namespace control
