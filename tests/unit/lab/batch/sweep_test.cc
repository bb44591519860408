#include "tools/lab/batch/sweep.h"

#include <gtest/gtest.h>

#include "dataplane/aqm/registry.h"

namespace lab {
namespace {

std::string problems_of(const std::string& yaml) {
  std::string all;
  for (const auto& p : load_sweep(yaml, "s.yaml").problems) all += to_string(p) + "\n";
  return all;
}

Sweep sweep_of(const std::string& yaml) {
  auto loaded = load_sweep(yaml, "s.yaml");
  EXPECT_TRUE(loaded) << problems_of(yaml);
  return loaded ? *loaded : Sweep{};
}

std::string labels(const Sweep& sweep) {
  std::string all;
  for (const auto& p : sweep.points) all += p.label + "\n";
  return all;
}

TEST(LoadSweep, OfTwoKeysIsTheirProductTheLastKeyFastest) {
  const auto sweep = sweep_of(R"(
version: 1
scenario: base.yaml
grid:
  classes.bearer.downlink.buffer.sdus: [20, 50]
  flows.0.count: [1, 4]
runs: 3
seed: 9
)");
  EXPECT_EQ(labels(sweep), "sdus=20, count=1\nsdus=20, count=4\nsdus=50, count=1\nsdus=50, count=4\n");
  EXPECT_EQ(sweep.points[1].settings,
            (Settings{{"classes.bearer.downlink.buffer.sdus", "20"}, {"flows.0.count", "4"}}));
  EXPECT_EQ(sweep.scenario, "base.yaml");
  EXPECT_EQ(sweep.runs, 3u);
  EXPECT_EQ(sweep.seed, 9u);
}

TEST(LoadSweep, WithoutRunsAndSeedLeavesThemToTheScenario) {
  const auto sweep = sweep_of("{version: 1, scenario: b.yaml, grid: {seed: [1]}, set: {duration: 10s}}");
  EXPECT_FALSE(sweep.runs);
  EXPECT_FALSE(sweep.seed);
  EXPECT_EQ(sweep.set, (Settings{{"duration", "10s"}}));
}

TEST(LoadSweep, OfKeysThatEndAlikeNamesThemByMoreWords) {
  EXPECT_EQ(
      labels(sweep_of("{version: 1, scenario: b.yaml, grid: {c.downlink.rate: [64k], c.uplink.rate: [8k]}}")),
      "downlink.rate=64k, uplink.rate=8k\n");
  EXPECT_EQ(labels(sweep_of("{version: 1, scenario: b.yaml, grid: {rate: [64k], c.rate: [8k]}}")),
            "rate=64k, c.rate=8k\n");
}

TEST(LoadSweep, OfNamedChoicesSetsSeveralKeysForEach) {
  const auto sweep = sweep_of(R"(
version: 1
scenario: base.yaml
grid:
  bearer:
    slow: {classes.bearer.downlink.rate: 64k, classes.bearer.uplink.rate: 64k}
    fast: {classes.bearer.downlink.rate: 384k}
)");
  EXPECT_EQ(labels(sweep), "slow\nfast\n");
  EXPECT_EQ(sweep.points[0].settings,
            (Settings{{"classes.bearer.downlink.rate", "64k"}, {"classes.bearer.uplink.rate", "64k"}}));
}

TEST(LoadSweep, OfNumbersAsNamesLabelsThem) {
  EXPECT_EQ(labels(sweep_of("{version: 1, scenario: b.yaml, grid: {rate: {\"64\": {a: 64k}, all: {}}}}")),
            "rate=64\nall\n");
}

TEST(LoadSweep, AProductIsThatOfTheNumbersChosenWithItsUnit) {
  const auto sweep = sweep_of(R"(
version: 1
scenario: base.yaml
grid:
  maxth: {"20": {a.maxth: 20sdu}, "35": {a.maxth: 35sdu}}
  ratio: {"12.5": {}}
products:
  a.maxd: {of: [maxth, ratio], unit: ms}
)");
  EXPECT_EQ(labels(sweep), "maxth=20, ratio=12.5\nmaxth=35, ratio=12.5\n");
  EXPECT_EQ(sweep.points[0].settings, (Settings{{"a.maxth", "20sdu"}, {"a.maxd", "250ms"}}));
  EXPECT_EQ(sweep.points[1].settings.back().second, "437.5ms");
}

TEST(LoadSweep, AProductOfWhatIsNotThereOrNoNumberIsRefused) {
  const std::string head = "version: 1\nscenario: b.yaml\ngrid: {a: {slow: {}}, b: [1, 2sdu]}\nproducts:\n";
  EXPECT_EQ(problems_of(head + "  k: {of: [c], unit: ms}\n"),
            "s.yaml:5:6: products.k: found the label 'c', expected one of the grid's\n");
  EXPECT_EQ(
      problems_of(head + "  k: {of: [a, b], unit: ms}\n"),
      "s.yaml:5:6: products.k: found 'slow' among the choices of 'a', expected numbers without a unit\n"
      "s.yaml:5:6: products.k: found '2sdu' among the choices of 'b', expected numbers without a unit\n");
  EXPECT_NE(problems_of(head + "  k: {unit: ms}\n").find("`of`"), std::string::npos);
}

TEST(LoadSweep, PointsBesideTheGridComeOnceForEachChoiceOfAllLabelsButTwo) {
  const auto sweep = sweep_of(R"(
version: 1
scenario: base.yaml
grid:
  flows.0.count: [1, 4]
  maxth: [20, 35]
  ratio: [5, 10, 15]
beside:
  drop-tail: {aqm: drop-tail}
)");
  ASSERT_EQ(sweep.points.size(), 14u);
  const SweepPoint& last = sweep.points.back();
  EXPECT_EQ(last.label, "count=4, drop-tail");
  EXPECT_EQ(last.choices, (std::vector<std::string>{"4", "drop-tail"}));
  EXPECT_EQ(last.settings, (Settings{{"flows.0.count", "4"}, {"aqm", "drop-tail"}}));
}

TEST(LoadSweep, OfEveryAqmHasAChoiceForEachInAListAndAmongNames) {
  std::string listed, named;
  for (const auto name : dp::AqmList::kNames) {
    listed += "aqm=" + std::string(name) + "\n";
    named += std::string(name) + "\n";
  }
  EXPECT_EQ(labels(sweep_of("{version: 1, scenario: b.yaml, grid: {c.aqm: [all]}}")), listed);
  const auto sweep = sweep_of(
      "{version: 1, scenario: b.yaml, grid: {aqm: {each: {n: 1, c.aqm: all}, own: {c.aqm: {red: {maxp: "
      "1}}}}}}");
  EXPECT_EQ(labels(sweep), named + "own\n");
  EXPECT_EQ(sweep.points[1].settings, (Settings{{"n", "1"}, {"c.aqm", "red"}}));
  EXPECT_EQ(sweep.points.back().settings, (Settings{{"c.aqm", "{red: {maxp: 1}}"}}));
}

TEST(LoadSweep, OfMapsAsValuesKeepsThemInBrackets) {
  const auto sweep =
      sweep_of("{version: 1, scenario: b.yaml, grid: {a.aqm: [drop-tail, {x: {n: 1, l: [a, \"b c\"]}}]}}");
  EXPECT_EQ(sweep.points[1].settings, (Settings{{"a.aqm", "{x: {n: 1, l: [a, \"b c\"]}}"}}));
}

TEST(LoadSweep, OfBrokenFilesNamesEveryProblem) {
  EXPECT_EQ(
      problems_of("version: 1\nscenario: b.yaml\ngrid: {rate: 64k}\nruns: none\nsedd: 2\n"),
      "s.yaml:3:14: grid.rate: found '64k', expected a list of values such as [20, 50], or a map such as "
      "{short: {KEY: VALUE}}\n"
      "s.yaml:4:7: runs: found 'none', expected auto, or a whole number such as 8\n"
      "s.yaml:5:1: found the unknown key `sedd`; did you mean `seed`?\n");
}

TEST(LoadSweep, WithoutAGridIsRefused) {
  EXPECT_NE(problems_of("{version: 1, scenario: b.yaml}").find("grid"), std::string::npos);
  EXPECT_NE(problems_of("{version: 1, scenario: b.yaml, grid: {}}").find("grid"), std::string::npos);
}

TEST(LoadSweep, OfTooManyPointsIsRefused) {
  std::string axis = "[0";
  for (int i = 1; i < 400; ++i) axis += ", " + std::to_string(i);
  EXPECT_NE(problems_of("{version: 1, scenario: b.yaml, grid: {a: " + axis + "], b: " + axis + "]}}")
                .find("more than 100000 points"),
            std::string::npos);
}

TEST(PointKey, ChangesWithWhateverTheFiguresDependOn) {
  const config::Overrides set{{"", "a", "1"}}, other{{"", "a", "2"}}, shifted{{"", "a1", ""}};
  const auto key = point_key("0.1.0", "text", set, 20, 1);
  EXPECT_EQ(key, point_key("0.1.0", "text", set, 20, 1));
  EXPECT_EQ(key.size(), 16u);
  for (const auto& different :
       {point_key("0.1.1", "text", set, 20, 1), point_key("0.1.0", "texts", set, 20, 1),
        point_key("0.1.0", "text", other, 20, 1), point_key("0.1.0", "text", shifted, 20, 1),
        point_key("0.1.0", "text", set, 2, 1), point_key("0.1.0", "text", set, 20, 11)}) {
    EXPECT_NE(key, different);
  }
}

}  // namespace
}  // namespace lab
