// The table of all AQMs, in short: the file has every AQM of the list, every point runs, and what must hold
// of any AQM does.
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "dataplane/aqm/registry.h"
#include "tests/unit/lab/support.h"
#include "tools/common/process.h"
#include "tools/lab/batch/sweep.h"
#include "tools/lab/figures/summary.h"

namespace lab {
namespace {

const std::filesystem::path kScenarios = std::filesystem::path(RNCD_SOURCE_ROOT) / "tools/lab/scenarios";

Sweep sweep_file(const char* name) {
  const auto text = config::read_file((kScenarios / name).string());
  auto sweep = load_sweep(text ? *text : "", name);
  EXPECT_TRUE(sweep) << name;
  return sweep ? *sweep : Sweep{};
}

config::Checked<Scenario> scenario_of(const Sweep& sweep, const SweepPoint& point,
                                      const std::vector<std::string>& flags = {}) {
  config::Overrides all;
  for (const auto& [key, value] : sweep.set) all.push_back({"set", key, value});
  for (const auto& [key, value] : point.settings) all.push_back({"grid", key, value});
  for (const auto& flag : flags) all.push_back(*config::override_from_flag(flag));
  return load_scenario_file((kScenarios / sweep.scenario).string(), all);
}

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

const SweepPoint& point_of(const Sweep& sweep, const std::string& label) {
  const auto found = std::ranges::find(sweep.points, label, &SweepPoint::label);
  EXPECT_NE(found, sweep.points.end()) << label;
  return *found;
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

// The trace that tools/lab/make_trace.py makes, in a folder of its own.
class MadeTrace {
 public:
  explicit MadeTrace(const char* seed = "1") {
    const auto script = std::filesystem::path(RNCD_SOURCE_ROOT) / "tools/lab/make_trace.py";
    const auto made = tools::run_program(
        {"/bin/sh", "-c", "/usr/bin/python3 -B '" + script.string() + "' --seed " + seed + " > made.trace"},
        "python3", folder_.path());
    EXPECT_EQ(made.status, 0) << made.said;
  }
  std::string path() const { return (folder_.path() / "made.trace").string(); }

 private:
  tools::ScratchFolder folder_;
};

// The sweep with that trace.
Sweep trace_sweep(const MadeTrace& made) {
  Sweep sweep = sweep_file("aqm-trace.yaml");
  for (SweepPoint& point : sweep.points) {
    for (auto& [key, value] : point.settings) {
      const auto at = value.find("made.trace");
      if (at != std::string::npos) value.replace(at, std::string("made.trace").size(), made.path());
    }
  }
  return sweep;
}

TEST(MadeTraces, AreTheSameOfOneSeedAndFadeWithOutages) {
  const MadeTrace first, again, other("2");
  EXPECT_EQ(testing::content(first.path()), testing::content(again.path()));
  EXPECT_NE(testing::content(first.path()), testing::content(other.path()));
  std::istringstream lines(testing::content(first.path()));
  std::map<int, int> packets;  // by second
  int last = 0, gap = 0;
  for (int ms; lines >> ms; last = ms) {
    ASSERT_GE(ms, last);
    gap = std::max(gap, ms - last);
    ++packets[ms / 1000];
  }
  EXPECT_EQ(last, 120'000);
  EXPECT_GT(gap, 500) << "ms of an outage";
  EXPECT_LE(gap, 2'100);
  int most = 0, least = 1'000;
  for (const auto& [second, n] : packets) {
    most = std::max(most, n);
    least = std::min(least, n);
  }
  EXPECT_LE(most * 12, 8'010) << "kbit/s";
  EXPECT_GT(most * 12, 4'000);
  EXPECT_LT(least * 12, 1'000);
}

TEST(TraceTable, HasEveryAqmAndLowDelayOnTheTraceAndOnItsMeanRate) {
  const MadeTrace made;
  const Sweep sweep = trace_sweep(made);
  std::map<std::string, std::size_t> points;
  for (const auto& point : sweep.points) ++points[point.choices.back()];
  EXPECT_EQ(points.size(), dp::AqmList::kSize + 1);
  for (const auto& [name, n] : points) EXPECT_EQ(n, 2u * 2 * 2) << name;
  const std::string text = testing::content(made.path());
  const double kbit_s = static_cast<double>(std::ranges::count(text, '\n')) * 12 / 120;
  const auto constant = scenario_of(sweep, point_of(sweep, "constant, count=1, congestion=sack, drop-tail"));
  ASSERT_TRUE(constant) << testing::problems_of(constant);
  EXPECT_NEAR(figures_of(simulate(*constant, 1)).goodput, kbit_s, 1);
}

TEST(TraceTable, EveryPointRunsWithItsBooksBalancedAndCarriesAFairShare) {
  const MadeTrace made;
  const Sweep sweep = trace_sweep(made);
  for (const auto& point : sweep.points) {
    SCOPED_TRACE(point.label);
    const auto scenario = scenario_of(sweep, point, {"measure_from=0s", "duration=60s"});
    ASSERT_TRUE(scenario) << testing::problems_of(scenario);
    const RunResult run = simulate(*scenario, 1);
    testing::expect_balance(run);
    EXPECT_GT(figures_of(run).goodput, 0.3 * 2'596);
    EXPECT_LE(figures_of(run).goodput, 1.2 * 2'596) << "the first minute of the trace is not its mean";
  }
}

// What the table is for: drop-tail fills a fading link and its queue, an AQM has the shorter queue, and the
// profile, which goes by the rate, is at its best where that stays.
TEST(TraceTable, AnAqmHasTheShorterQueueAndLowDelayFillsALinkThatDoesNotFade) {
  const MadeTrace made;
  const Sweep sweep = trace_sweep(made);
  const auto figures = [&](const std::string& label) {
    const auto scenario = scenario_of(sweep, point_of(sweep, label), {"duration=180s"});
    EXPECT_TRUE(scenario) << testing::problems_of(scenario);
    return figures_of(simulate(*scenario, 1));
  };
  const RunFigures drop_tail = figures("trace, count=4, congestion=sack, drop-tail");
  EXPECT_GT(drop_tail.goodput, 0.95 * 2'596);
  for (const char* aqm : {"red", "pdpc", "sbd", "codel", "pie", "fq-codel", "low-delay"}) {
    EXPECT_LT(figures(std::string("trace, count=4, congestion=sack, ") + aqm).delay, 0.5 * drop_tail.delay)
        << aqm;
  }
  const RunFigures steady = figures("constant, count=4, congestion=sack, low-delay");
  EXPECT_GT(steady.goodput, 0.99 * 2'596);
  EXPECT_EQ(steady.aqm + steady.overflow, 0);
  EXPECT_LT(steady.delay, 0.5 * figures("constant, count=4, congestion=sack, red").delay);
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
