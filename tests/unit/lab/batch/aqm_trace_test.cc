// The sweep over links that fade, in short: it has every AQM on every link, every point runs, and low-delay
// is worth having there.
#include <array>
#include <functional>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "dataplane/aqm/registry.h"
#include "tests/unit/lab/batch/sweep_files.h"
#include "tools/common/process.h"
#include "tools/lab/figures/summary.h"

namespace lab {
namespace {

using testing::point_of;
using testing::scenario_of;

// The traces that tools/lab/make_trace.py makes for the sweep, in a folder of their own.
class MadeTraces {
 public:
  MadeTraces() {
    make("made-1", "--seed 1");
    make("made-2", "--seed 2");
    make("made-fast", "--seed 3 --lowest 1 --highest 60 --wander 0.6");
    make("made-slow", "--seed 4 --lowest 0.1 --highest 2 --wander 0.15");
    make("made-up", "--seed 5");
  }
  void make(const std::string& name, const std::string& options) const {
    const auto script = std::filesystem::path(RNCD_SOURCE_ROOT) / "tools/lab/make_trace.py";
    const auto made = tools::run_program(
        {"/bin/sh", "-c",
         "/usr/bin/python3 -B '" + script.string() + "' " + options + " > " + name + ".trace"},
        "python3", folder_.path());
    EXPECT_EQ(made.status, 0) << made.said;
  }
  std::string path(const std::string& name) const { return (folder_.path() / (name + ".trace")).string(); }

  // The sweep with them.
  Sweep sweep() const {
    Sweep sweep = testing::sweep_file("aqm-trace.yaml");
    const auto find_here = [&](Settings& settings) {
      for (auto& [key, value] : settings) {
        const auto extension = value.find(".trace");
        if (extension == std::string::npos) continue;
        const auto name = value.rfind("made-", extension);
        ASSERT_NE(name, std::string::npos) << value;
        value.insert(name, folder_.path().string() + "/");
      }
    };
    find_here(sweep.set);
    for (SweepPoint& point : sweep.points) find_here(point.settings);
    return sweep;
  }

 private:
  tools::ScratchFolder folder_;
};

std::vector<int> milliseconds(const std::string& path) {
  std::istringstream lines(testing::content(path));
  std::vector<int> out;
  for (int ms; lines >> ms;) out.push_back(ms);
  return out;
}

TEST(MadeTraces, AreTheSameOfOneSeedAndFadeWithOutages) {
  const MadeTraces made;
  made.make("again", "--seed 1");
  EXPECT_EQ(testing::content(made.path("made-1")), testing::content(made.path("again")));
  EXPECT_NE(testing::content(made.path("made-1")), testing::content(made.path("made-2")));
  std::map<int, int> packets;  // by second
  int last = 0, gap = 0;
  for (const int ms : milliseconds(made.path("made-1"))) {
    ASSERT_GE(ms, last);
    gap = std::max(gap, ms - last);
    ++packets[ms / 1000];
    last = ms;
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

TEST(MadeTraces, HaveSeveralPacketsAMillisecondWhereTheRateIsHigh) {
  const MadeTraces made;
  std::map<int, int> packets;  // by millisecond
  for (const int ms : milliseconds(made.path("made-fast"))) ++packets[ms];
  const auto most = std::ranges::max_element(packets, {}, [](const auto& one) { return one.second; });
  EXPECT_GE(most->second, 4);
  EXPECT_LE(most->second, 6) << "60 Mbit/s are five";
}

TEST(TraceTable, HasEveryAqmAndLowDelayOnEveryLink) {
  const MadeTraces made;
  const Sweep sweep = made.sweep();
  std::map<std::string, std::size_t> points;
  for (const auto& point : sweep.points) ++points[point.choices.back()];
  EXPECT_EQ(points.size(), dp::AqmList::kSize + 1);
  for (const auto& [name, n] : points) EXPECT_EQ(n, 6u * 2 * 2) << name;
  const double kbit_s = static_cast<double>(milliseconds(made.path("made-1")).size()) * 12 / 120;
  const auto constant = scenario_of(sweep, point_of(sweep, "constant, count=1, congestion=sack, drop-tail"));
  ASSERT_TRUE(constant) << testing::problems_of(constant);
  EXPECT_NEAR(figures_of(simulate(*constant, 1)).goodput, kbit_s, 1);
}

TEST(TraceTable, EveryPointRunsWithItsBooksBalancedAndCarriesAFairShare) {
  const MadeTraces made;
  const Sweep sweep = made.sweep();
  for (const auto& point : sweep.points) {
    SCOPED_TRACE(point.label);
    const auto scenario = scenario_of(sweep, point, {"measure_from=0s", "duration=60s"});
    ASSERT_TRUE(scenario) << testing::problems_of(scenario);
    const RunResult run = simulate(*scenario, 1);
    testing::expect_balance(run);
    EXPECT_GT(figures_of(run).carried, 0.15);
    EXPECT_LE(figures_of(run).carried, 1.001);
  }
}

// The table shows this: drop-tail fills a fading link and its queue, and an AQM has the shorter queue.
TEST(TraceTable, DropTailFillsALinkThatFadesAndAnAqmHasTheShorterQueue) {
  const MadeTraces made;
  const Sweep sweep = made.sweep();
  const auto figures = [&](const std::string& aqm) {
    const auto scenario =
        scenario_of(sweep, point_of(sweep, "made-1, count=4, congestion=sack, " + aqm), {"duration=180s"});
    EXPECT_TRUE(scenario) << testing::problems_of(scenario);
    return figures_of(simulate(*scenario, 1));
  };
  const RunFigures drop_tail = figures("drop-tail");
  EXPECT_GT(drop_tail.carried, 0.97);
  for (const char* aqm : {"red", "pdpc", "sbd", "codel", "pie", "fq-codel", "low-delay"}) {
    EXPECT_LT(figures(aqm).delay, 0.5 * drop_tail.delay) << aqm;
  }
}

constexpr std::array kRivals{"codel", "fq-codel", "pie"};

// None of the AQMs that hold a queue short carries as much with as little delay.
void expect_undominated(const RunFigures& ours,
                        const std::function<RunFigures(const std::string&)>& figures) {
  for (const char* aqm : kRivals) {
    const RunFigures rival = figures(aqm);
    EXPECT_FALSE(rival.goodput >= ours.goodput && rival.delay <= ours.delay)
        << aqm << " carries " << rival.goodput << " kbit/s with " << rival.delay << " s, low-delay "
        << ours.goodput << " with " << ours.delay;
  }
}

TEST(LowDelay, CarriesMostOfALinkThatFadesAndNoAqmIsBetterInBothWays) {
  const MadeTraces made;
  const Sweep sweep = made.sweep();
  // `made-fast` doubles or halves within less than the round trip.
  const std::map<std::string, double> least{
      {"made-1", 0.8}, {"made-2", 0.8}, {"made-fast", 0.55}, {"made-slow", 0.8}, {"made-1 both ways", 0.65}};
  for (const auto& [link, share] : least) {
    for (const char* count : {"1", "4"}) {
      SCOPED_TRACE(link + ", flows: " + count);
      const auto figures = [&](const std::string& aqm) {
        const std::string label = link + ", count=" + count + ", congestion=sack, " + aqm;
        const auto scenario =
            scenario_of(sweep, point_of(sweep, label), {"duration=120s", "measure_from=20s"});
        EXPECT_TRUE(scenario) << testing::problems_of(scenario);
        return figures_of(simulate(*scenario, 1));
      };
      const RunFigures ours = figures("low-delay");
      EXPECT_GT(ours.carried, share);
      EXPECT_LT(ours.delay, 0.5 * figures("drop-tail").delay);
      expect_undominated(ours, figures);
    }
  }
}

TEST(LowDelay, FillsALinkThatDoesNotFadeWithoutALoss) {
  const MadeTraces made;
  const Sweep sweep = made.sweep();
  const auto figures = [&](const std::string& aqm) {
    const auto scenario =
        scenario_of(sweep, point_of(sweep, "constant, count=4, congestion=sack, " + aqm), {"duration=180s"});
    EXPECT_TRUE(scenario) << testing::problems_of(scenario);
    return figures_of(simulate(*scenario, 1));
  };
  const RunFigures ours = figures("low-delay");
  EXPECT_GT(ours.carried, 0.99);
  EXPECT_EQ(ours.aqm + ours.overflow, 0);
  EXPECT_LT(ours.delay, 0.5 * figures("red").delay);
}

// A shaper in no cell, whose rate is set anew five times a second to what a fading link has.
TEST(LowDelay, CarriesMostOfAShaperWhoseRateFadesAndNoAqmIsBetterInBothWays) {
  const MadeTraces made;
  std::map<int, int> packets;  // by 200 ms
  for (const int ms : milliseconds(made.path("made-2"))) ++packets[(ms - 1) / 200];
  std::string changes = "changes:\n";
  for (int part = 1; part < 600; ++part) {
    changes += "  - {at: " + std::to_string(part * 200) +
               "ms, ue: 10.45.0.2, downlink: {rate: " + std::to_string(std::max(packets[part] * 60, 100)) +
               "k}}\n";
  }
  const std::string text = testing::content((testing::kScenarios / "aqm.yaml").string()) + changes;
  const auto figures = [&](const std::string& aqm) {
    const std::string chosen =
        aqm == "low-delay" ? "classes.bearer.profile=low-delay" : "classes.bearer.downlink.aqm=" + aqm;
    return figures_of(simulate(
        testing::loaded(text, {chosen, "duration=120s", "measure_from=10s", "classes.bearer.uplink.rate=10M",
                               "classes.bearer.downlink.buffer.sdus=200", "flows.0.count=4"}),
        1));
  };
  const RunFigures ours = figures("low-delay");
  EXPECT_GT(ours.carried, 0.75);
  expect_undominated(ours, figures);
}

}  // namespace
}  // namespace lab
