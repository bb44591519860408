#include <string>

#include <gtest/gtest.h>

#include "tools/bench/timers.h"

namespace bench {
namespace {

using dp::yardstick::TimerKind;

TimerOptions timer_options(const std::string& words) {
  CLI::App app;
  TimerOptions options;
  add_timer_options(app, options);
  app.parse(words);
  return options;
}

std::string timer_complaint(const std::string& words) {
  try {
    timer_options(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

// The Calendar re-arms in 25 ns and expires in 31; memory takes 10 of them.
std::vector<TimerCell> timer_cells(std::uint32_t timers) {
  return {{timers,
           {{TimerKind::calendar, {{{20, 30, 25}, {31, 31}, {10}}}},
            {TimerKind::rte_timer, {{{50}, {62}, {20}}}}}}};
}

TEST(TimerOptions, HorizonHasAUnitAndIsAHundredMillisecondsOtherwise) {
  EXPECT_DOUBLE_EQ(timer_options("").horizon_ms, 100);
  EXPECT_DOUBLE_EQ(timer_options("--horizon 2s").horizon_ms, 2000);
  EXPECT_DOUBLE_EQ(timer_options("--horizon 250us").horizon_ms, 0.25);
  EXPECT_NE(timer_complaint("--horizon 5"), "");
  EXPECT_NE(timer_complaint("--horizon 5parsec"), "");
}

TEST(TimerOptions, StrideThatWouldSplitLinesIsRefusedWithOneThatFits) {
  EXPECT_EQ(timer_options("--stride 832").stride, 832u);
  EXPECT_NE(timer_complaint("--stride 100").find("try 1024"), std::string::npos);
  EXPECT_NE(timer_complaint("--stride 64"), "");
}

TEST(TimerFigures, AreTheMediansOverTheTurnsOfTheirPercentiles) {
  const TimerSeries series{TimerKind::calendar,
                           {{{30, 10, 20}, {}, {}}, {{60, 40, 50}, {}, {}}, {{35, 25, 15}, {}, {}}}};
  const auto figures = timer_figures(series, TimerOperation::rearm);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->p50, 25);
  EXPECT_EQ(figures->p10, 15);
  EXPECT_EQ(figures->chunks, 9u);
  EXPECT_FALSE(timer_figures(series, TimerOperation::expire));
}

TEST(TimerTable, HasTheRatioAndJudgesWhereThereIsATarget) {
  const std::string judged = timer_table(timer_cells(100'000));
  EXPECT_NE(judged.find("2.00  <= 30 ns: met\n"), std::string::npos) << judged;
  EXPECT_NE(judged.find("2.00  <= 30 ns: not met\n"), std::string::npos) << judged;
  EXPECT_NE(judged.find("touch                 10.0  10.0              20.0  20.0        2.00  -\n"),
            std::string::npos)
      << judged;
  const std::string other = timer_table(timer_cells(1000));
  EXPECT_EQ(other.find("30 ns"), std::string::npos) << other;
}

TEST(TimerTable, OfASubjectThatWasInterruptedHasDashes) {
  const std::string table = timer_table({{1000, {{TimerKind::calendar, {{{20}, {31}, {10}}}}}}});
  EXPECT_NE(table.find("20.0  20.0                 -    -           -  -"), std::string::npos) << table;
}

TEST(TimerJson, HasARowForEachSubjectAndOperation) {
  const auto json = timer_json(timer_cells(100'000), TimerOptions{}, TimerSetting{});
  EXPECT_EQ(json["benchmark"], "timers");
  ASSERT_EQ(json["cells"].size(), 6u);
  EXPECT_EQ(
      json["cells"][0].dump(),
      R"({"timers":100000,"horizon_ms":100.0,"stride_bytes":1024,"operation":"re-arm","subject":"calendar",)"
      R"("ns_p50":25.0,"ns_p10":20.0,"chunks":3,"target_ns":30.0,"met":true})");
  EXPECT_EQ(json["cells"][3]["ratio_to_calendar"], 2.0);
  EXPECT_EQ(json["cells"][4]["operation"], "touch");
  EXPECT_FALSE(json["cells"][4].contains("target_ns"));
}

TEST(CalendarSubject, FiresWhatIsDueAndArmsItAgain) {
  const auto subject = dp::yardstick::make_timers(TimerKind::calendar, {.timers = 1000});
  subject->resume();
  std::uint64_t expired = 0;
  for (int round = 0; round < 100; ++round) expired += subject->round().expired;
  // 64 of 1000 timers are given new deadlines in each 3.2 ms, and all lie within 100 ms.
  EXPECT_GT(expired, 100u * 32);
  EXPECT_LT(expired, 100u * 128);
}

}  // namespace
}  // namespace bench
