#include <string>

#include <gtest/gtest.h>

#include "tools/bench/report.h"

namespace bench {
namespace {

using dp::yardstick::Kind;

Turn turn(std::vector<double> chunks, std::uint64_t received = 1000, std::uint64_t dropped = 0) {
  Turn t;
  t.chunks = std::move(chunks);
  t.polls = 100;
  t.tally.received = received;
  t.tally.dropped = dropped;
  return t;
}

CellResult cell(std::vector<Series> series) { return {{.bearers = 10}, std::move(series), 0}; }

TEST(BenchFigures, AreTheMedianAndTheLeastOfTheTurnsPercentiles) {
  const auto f = figures_of({Kind::bare, 0, {turn({30, 10, 20}), turn({60, 40, 50}), turn({35, 25, 15})}, 0});
  ASSERT_TRUE(f);
  EXPECT_EQ(f->p50, 25);
  EXPECT_EQ(f->p50_least, 20);
  EXPECT_EQ(f->p10, 15);
  EXPECT_EQ(f->p10_least, 10);
}

TEST(BenchFigures, DropsAreAShareOfTheFramesOfAllTurns) {
  const auto f = figures_of({Kind::bare, 0, {turn({1}, 100, 50), turn({1}, 300, 50)}, 0});
  ASSERT_TRUE(f);
  EXPECT_DOUBLE_EQ(f->dropped, 0.25);
}

TEST(BenchFigures, OfASeriesInterruptedBeforeItsFirstChunkAreNone) {
  EXPECT_FALSE(figures_of({Kind::bare, 0, {turn({})}, 0}));
  EXPECT_FALSE(figures_of({Kind::bare, 0, {}, 0}));
}

TEST(BenchMeasure, AChunkTakesTwoMillisecondsAtAnyPace) {
  EXPECT_EQ(chunk_polls({.frames_per_second = 32'000'000}), 1000u);
  EXPECT_EQ(chunk_polls({.frames_per_second = 10'000}), 1u);
  EXPECT_EQ(chunk_polls({.frames_per_second = 1'000'000, .burst = 8}), 250u);
}

TEST(BenchFaults, NameTheSubjectWhoseFramesAreMissingAndTheLeak) {
  auto result = cell({{Kind::worker_null, 0, {turn({1})}, 3}, {Kind::sched, 0, {turn({1})}, 0}});
  result.leaked_mbufs = 2;
  const auto faults = faults_of({result});
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_NE(faults[0].find("worker-null"), std::string::npos);
  EXPECT_NE(faults[1].find("2 mbufs"), std::string::npos);
  EXPECT_TRUE(faults_of({cell({{Kind::sched, 0, {turn({1})}, 0}})}).empty());
}

TEST(BenchReport, TableAndJsonGiveTheRatioToTheBareForward) {
  const auto result = cell({{Kind::worker_null, 7040, {turn({50})}, 0},
                            {Kind::sched, 0, {turn({100})}, 0},
                            {Kind::bare, 0, {turn({20})}, 0}});
  Setting setting;
  setting.cycles_per_ns = 2;
  const auto table = table_of(result, setting);
  EXPECT_NE(table.find("25.0"), std::string::npos) << table;
  EXPECT_NE(table.find("2.50"), std::string::npos) << table;
  EXPECT_NE(table.find("704"), std::string::npos) << table;
  const auto json = json_of({result}, {}, setting);
  const auto& worker = json["cells"][0]["subjects"][0];
  EXPECT_EQ(worker["subject"], "worker-null");
  EXPECT_EQ(worker["ns_p50"], 25);
  EXPECT_EQ(worker["ratios_p50"]["to_forward"], 2.5);
  EXPECT_EQ(worker["ratios_p50"]["to_sched"], 0.5);
  EXPECT_TRUE(json["faults"].empty());
}

TEST(BenchReport, OfASplitSegmentThePortsAreTakenOffAndTheTargetIsHeldAgainstIt) {
  auto result = cell({{Kind::worker_acked, 0, {turn({1000})}, 0}, {Kind::ports_acked, 0, {turn({150})}, 0}});
  EXPECT_NE(table_of(result, {}).find("above the ports: 850 cycles (p50), 850 (p10)\n"), std::string::npos);
  result.traffic.split = true;
  EXPECT_NE(table_of(result, {}).find("target 900 (p50): met"), std::string::npos);
  result.series[1].turns = {turn({50})};
  EXPECT_NE(table_of(result, {}).find("target 900 (p50): not met"), std::string::npos);
}

}  // namespace
}  // namespace bench
