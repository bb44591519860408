// Gains of lines over another line, from figures that were made up: the table's numbers and its claims.
#include "tools/lab/papers/gains.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tools/lab/papers/statements.h"

namespace lab {
namespace {

constexpr std::string_view kGainsPaper = R"(version: 1
title: T
scenario: s.yaml
part: p
lines: {none: {}, few: {}, many: {}}
figures:
  near: {users: [1], lines: [none, few, many], x: [1, 2]}
  far: {users: [1], lines: [none, few, many], x: [1, 2]}
gains:
  all:
    title: Gain
    axis: x
    over: none
    lines: [few, many]
    rates_within: 10%
    from: base
    rows:
      - {name: base, figure: near, x: 1, rate: 100, gains: [10, 20]}
      - {name: more, figure: near, x: 2, rate: 100, gains: [20, 40]}
      - {name: less, figure: far, x: 1, gains: [8, 12]}
      - {name: unknown, figure: far, x: 2}
)";

Paper gains_paper(std::string_view more = "") {
  auto loaded = load_paper(std::string(kGainsPaper) + std::string(more), "x.yaml");
  EXPECT_TRUE(loaded) << (loaded.problems.empty() ? "" : to_string(loaded.problems.front()));
  return loaded.value.value_or(Paper{});
}

RowSummary with_rates(std::vector<double> of_runs) {
  std::vector<RunFigures> runs;
  for (const double rate : of_runs) {
    runs.emplace_back().file_rate = rate;
    runs.back().files = 7;
  }
  return RowSummary(runs);
}

// kbit/s of none, few and many.
void add_point(FigureResults& results, std::size_t figure, double x, double none, double few, double many) {
  results.emplace(FigurePoint{figure, 1, "none", x}, with_rates({none}));
  results.emplace(FigurePoint{figure, 1, "few", x}, with_rates({few}));
  results.emplace(FigurePoint{figure, 1, "many", x}, with_rates({many}));
}

const Claim& gain_claim(const std::vector<Claim>& all, const std::string& part) {
  const auto at = std::ranges::find_if(all, [&](const Claim& c) { return c.text.find(part) != c.text.npos; });
  EXPECT_NE(at, all.end()) << part;
  return *at;
}

TEST(Gains, AreOfRunsOfTheSameSeed) {
  const Paper paper = gains_paper();
  FigureResults results;
  results.emplace(FigurePoint{0, 1, "none", 1}, with_rates({100, 50}));
  results.emplace(FigurePoint{0, 1, "few", 1}, with_rates({110, 60}));
  const GainTable& table = paper.gains[0];
  EXPECT_NEAR(gain_of(paper, results, table, table.rows[0], "few").mean, 15, 1e-9);
  EXPECT_TRUE(std::isnan(gain_of(paper, results, table, table.rows[0], "many").mean)) << "it did not run";
}

TEST(Gains, StandBesideWhatWasExpected) {
  const Paper paper = gains_paper();
  FigureResults results;
  add_point(results, 0, 1, 100, 110, 120);
  const std::string text = gains_text(paper, results);
  EXPECT_NE(text.find("+10.0 ± 0.0     +10.0  +20.0 ± 0.0     +20.0"), text.npos) << text;
  const Json json = gains_json(paper, results);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1]["line"], "many");
  EXPECT_EQ(json[1]["expected_percent"], 20);
}

TEST(Gains, ThatAreAsExpectedHold) {
  const Paper paper = gains_paper();
  FigureResults results;
  add_point(results, 0, 1, 95, 104, 110);
  add_point(results, 0, 2, 109, 125, 150);
  add_point(results, 1, 1, 100, 105, 106);
  add_point(results, 1, 2, 100, 50, 40);
  for (const Claim& c : gain_claims(paper, results)) EXPECT_TRUE(c.holds) << c.text << ": " << c.ours;
  EXPECT_EQ(gain_claims(paper, results).size(), 4u);
}

TEST(Gains, ThatAreOnTheOtherSideDoNotHoldAndAreNamed) {
  const Paper paper = gains_paper();
  FigureResults results;
  add_point(results, 0, 1, 120, 132, 144);
  add_point(results, 0, 2, 100, 105, 104);
  add_point(results, 1, 1, 100, 99, 106);
  const auto all = gain_claims(paper, results);
  EXPECT_EQ(gain_claim(all, "rates of none").ours, "1 of 2; not base (+20.0 %)");
  EXPECT_EQ(gain_claim(all, "rates of none").need, Need::told);
  EXPECT_EQ(gain_claim(all, "sign").ours, "2 of 3; not less");
  EXPECT_EQ(gain_claim(all, "order").ours, "2 of 3; not more");
  EXPECT_EQ(gain_claim(all, "side").ours, "1 of 3; not more, few, more, many");
}

// Some rows' model was mended, and the others' was not.
TEST(Gains, LieOnTheSideThatTheOthersModelHad) {
  Paper paper = gains_paper();
  FigureResults results;
  add_point(results, 0, 1, 100, 115, 125);
  add_point(results, 0, 2, 100, 125, 150);
  add_point(results, 1, 1, 100, 105, 106);
  GainTable& table = paper.gains[0];
  table.rows[0].gains = {30, 60};
  EXPECT_EQ(gain_claim(gain_claims(paper, results), "side").ours, "2 of 4; not more, few, more, many");
  table.from_gains = {10, 20};
  EXPECT_EQ(gain_claim(gain_claims(paper, results), "side").ours, "3 of 3");
}

// The table's picture and numbers are of the same figures.
TEST(Gains, OfLinesAndPointsThatAreNotThereAreRefused) {
  const auto fault = [](const std::string& from, const std::string& to) {
    std::string text(kGainsPaper);
    text.replace(text.find(from), from.size(), to);
    const auto loaded = load_paper(text, "x.yaml");
    return loaded ? "" : to_string(loaded.problems.front());
  };
  EXPECT_NE(fault("over: none", "over: nobody").find("found near/1/nobody"), std::string::npos);
  EXPECT_NE(fault("figure: far, x: 2", "figure: far, x: 3").find("found 3 in far"), std::string::npos);
  EXPECT_NE(fault("from: base", "from: elsewhere").find("found elsewhere in `from`"), std::string::npos);
  EXPECT_NE(fault("from: base", "from: base\n    from_gains: [1]").find("found 1 `from_gains`"),
            std::string::npos);
}

TEST(Statements, OfWhatRisesCountTheLinesThatDo) {
  const Paper paper = gains_paper(R"(statements:
  - {text: along, of: [near/1/file-rate/few over none, near/1/file-rate/many over none], at: [1, 2],
     judged: each-rises, shown: "{:.0f} of {:.0f}"}
  - {text: across, of: [near/1/file-rate/few over none, near/1/file-rate/many over none], at: [1, 2], judged: rise,
     slack: 0.01, shown: "{:.0f} of {:.0f}"}
  - {text: added, of: [near/1/file-rate/few over none, near/1/file-rate/many over none], at: [1, 2], judged: added,
     at_most: 0.1, shown: "{:.0f}, {:.0f} points"}
)");
  FigureResults results;
  add_point(results, 0, 1, 100, 110, 120);
  add_point(results, 0, 2, 100, 121, 120.5);
  const auto all = statement_claims(paper, results, false);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].ours, "2 of 2");
  EXPECT_TRUE(all[0].holds);
  EXPECT_EQ(all[1].ours, "2 of 2") << "half a point lower is within the slack";
  EXPECT_EQ(all[2].ours, "10, -0 points");
  EXPECT_TRUE(all[2].holds);
  results.at({0, 1, "many", 2}) = with_rates({119});
  EXPECT_EQ(statement_claims(paper, results, false)[1].ours, "1 of 2");
}

}  // namespace
}  // namespace lab
