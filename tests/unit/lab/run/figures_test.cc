// 002 Fig. 2, 14 and 15 over ten seeds: two downloads, 384 to 128 kbit/s after 50 seconds. A buffer of 40
// SDUs overflows when it is full and one more comes. RED's maxth is the buffer's limit: what it then drops
// without a draw is an overflow, too, so that its occupancy never shows more than 39.
#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "tools/lab/run/simulate.h"
#include "tools/lab/run/trace.h"

namespace lab {
namespace {

std::optional<Scenario> bench(const std::string& name) {
  auto loaded = load_scenario_file(std::string(RNCD_SOURCE_ROOT) + "/tools/lab/scenarios/" + name + ".yaml");
  EXPECT_TRUE(loaded) << name;
  return loaded ? std::optional(std::move(*loaded)) : std::nullopt;
}

TEST(Figures, HaveTheRadioAndTheSenderOfTheRowsOfTheirPapers) {
  const auto rows = bench("papers-000-002");
  ASSERT_TRUE(rows);
  for (const char* name :
       {"000-fig2", "000-fig12", "000-fig13", "000-fig14", "002-fig2", "002-fig14", "002-fig15"}) {
    SCOPED_TRACE(name);
    const auto figure = bench(name);
    ASSERT_TRUE(figure);
    for (const dp::Direction d : dp::kDirections) {
      const auto leg = [&](const Scenario& s) {
        return d == dp::Direction::downlink ? s.classes[0].downlink : s.classes[0].uplink;
      };
      EXPECT_TRUE(leg(*figure).link == leg(*rows).link);
    }
    EXPECT_EQ(figure->flows[0].tcp.rto.granularity, rows->flows[0].tcp.rto.granularity);
    EXPECT_EQ(figure->flows[0].tcp.rto.handshake, rows->flows[0].tcp.rto.handshake);
  }
}

constexpr unsigned kFigureSeeds = 10;
constexpr double kStartUntil = 15, kChange = 50, kChangeUntil = 70;

struct Overflows {
  unsigned at_start = 0, at_change = 0;  // number of seeds in which it happened
};

bool overflowed(const TraceRecorder& trace, double from, double until, double full) {
  return std::ranges::any_of(trace.events(), [&](const TraceEvent& e) {
    const bool then = from <= e.at && e.at < until;
    return then &&
           ((e.event == "dropped" && e.where == "buffer_sdus") || (e.event == "bo" && e.value > full));
  });
}

Overflows overflows_of(const std::string& figure, double full) {
  const auto scenario =
      load_scenario_file(std::string(RNCD_SOURCE_ROOT) + "/tools/lab/scenarios/002-" + figure + ".yaml");
  EXPECT_TRUE(scenario) << figure;
  Overflows overflows;
  for (unsigned seed = 1; scenario && seed <= kFigureSeeds; ++seed) {
    TraceRecorder trace(*scenario);
    const RunResult run = simulate(*scenario, seed, &trace);
    EXPECT_EQ(run.frames.residue, 0);
    overflows.at_start += overflowed(trace, 0, kStartUntil, full);
    overflows.at_change += overflowed(trace, kChange, kChangeUntil, full);
  }
  return overflows;
}

TEST(Figures, DropTailOverflowsAtTheStartAndAtTheChangeOfRate) {
  const Overflows seen = overflows_of("fig2", 40);
  EXPECT_EQ(seen.at_start, kFigureSeeds);
  EXPECT_GE(seen.at_change, kFigureSeeds - 2);
}

TEST(Figures, SbdThatIsReconfiguredOverflowsAtNeither) {
  const Overflows seen = overflows_of("fig14", 40);
  EXPECT_LE(seen.at_start, 1u);
  EXPECT_EQ(seen.at_change, 0u);
}

TEST(Figures, RedThatIsReconfiguredOverflowsAtTheStartOnly) {
  const Overflows seen = overflows_of("fig15", 38);
  EXPECT_GE(seen.at_start, kFigureSeeds - 3);
  EXPECT_EQ(seen.at_change, 0u);
}

// The reason for the change of parameters.
TEST(Figures, SbdThatKeepsItsOldParametersHoldsMoreAfterTheChangeOfRate) {
  const auto after = [](const std::vector<std::string>& flags) {
    config::Overrides overrides;
    for (const auto& flag : flags) overrides.push_back(*config::override_from_flag(flag));
    const auto scenario =
        load_scenario_file(std::string(RNCD_SOURCE_ROOT) + "/tools/lab/scenarios/002-fig14.yaml", overrides);
    EXPECT_TRUE(scenario);
    double sum = 0;
    for (unsigned seed = 1; scenario && seed <= kFigureSeeds; ++seed)
      sum += simulate(*scenario, seed).bearers[0].bo_mean;
    return sum / kFigureSeeds;
  };
  const double kept =
      after({"measure_from=50s",
             "changes=[{at: 50s, ue: 10.45.0.2, downlink: {rate: 128k}, uplink: {rate: 128k}}]"});
  EXPECT_GT(kept, 1.15 * after({"measure_from=50s"}));
}

}  // namespace
}  // namespace lab
