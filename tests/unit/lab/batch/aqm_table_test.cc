// The table of all AQMs, in short: the file has every AQM of the list, every point runs, and what must hold
// of any AQM does.
#include <map>

#include <gtest/gtest.h>

#include "dataplane/aqm/registry.h"
#include "tests/unit/lab/batch/sweep_files.h"
#include "tools/lab/figures/summary.h"

namespace lab {
namespace {

using testing::point_of;
using testing::scenario_of;
using testing::sweep_file;

TEST(AqmTable, HasEveryAqmOfTheListOnEveryLink) {
  const Sweep sweep = sweep_file("aqm-table.yaml");
  std::map<std::string, std::size_t> points;
  for (const auto& point : sweep.points) ++points[point.choices.back()];
  EXPECT_EQ(points.size(), dp::AqmList::kSize + 4);
  for (const auto name : dp::AqmList::kNames) EXPECT_EQ(points[std::string(name)], 9u * 2 * 2) << name;
  for (const char* profile : {"sbd by-rate", "sbd max-goodput", "red by-rate", "red max-goodput"}) {
    EXPECT_EQ(points[profile], 9u * 2 * 2) << profile;
  }
}

// Slow links for longer than fast ones, so that either carries some hundreds of packets.
TEST(AqmTable, EveryPointRunsWithItsBooksBalancedAndCarriesAFairShareOfItsLink) {
  const Sweep sweep = sweep_file("aqm-table.yaml");
  for (const auto& point : sweep.points) {
    SCOPED_TRACE(point.label);
    const bool fast = point.label.find("0M") != std::string::npos;
    const auto scenario =
        scenario_of(sweep, point, {"measure_from=0s", fast ? "duration=4s" : "duration=30s"});
    ASSERT_TRUE(scenario) << testing::problems_of(scenario);
    const RunResult run = simulate(*scenario, 1);
    testing::expect_balance(run);
    EXPECT_GT(run.bearers[0].utilisation, 0.05);
    EXPECT_LE(run.bearers[0].utilisation, 1.001);
    EXPECT_GT(figures_of(run).delay_p95, 0);
  }
}

TEST(AqmTable, OfAFullLinkTheGoodputIsItsRateTimestampsIncluded) {
  const Sweep sweep = sweep_file("aqm-table.yaml");
  const auto scenario = scenario_of(sweep, point_of(sweep, "shaper 2M, count=1, congestion=sack, drop-tail"));
  ASSERT_TRUE(scenario);
  EXPECT_NEAR(figures_of(simulate(*scenario, 1)).goodput, 2000, 2);
}

// Data from before the measured time that stands behind a hole comes into order within it.
TEST(AqmTable, WhatCameBeforeTheMeasuredTimeIsNoPartOfTheGoodput) {
  const Sweep sweep = sweep_file("aqm-table.yaml");
  const auto scenario = scenario_of(sweep, point_of(sweep, "shaper 64k, count=4, congestion=sack, pdpc"));
  ASSERT_TRUE(scenario);
  EXPECT_LE(figures_of(simulate(*scenario, 1)).goodput, 64.1);
}

TEST(Sweeps, OfPaper002HaveItsRangesAndEveryPointIsValid) {
  for (const char* name : {"002-sbd.yaml", "002-red.yaml"}) {
    const Sweep sweep = sweep_file(name);
    EXPECT_EQ(sweep.points.size(), 2u * 4 * 6 * 11) << name;
    for (const auto& point : sweep.points) {
      ASSERT_TRUE(scenario_of(sweep, point)) << name << " " << point.label;
    }
  }
}

}  // namespace
}  // namespace lab
