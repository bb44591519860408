#include "tools/lab/papers/catalogue.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tools/common/process.h"
#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/figure_points.h"
#include "tools/lab/papers/scenes.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

using Ids = std::vector<std::string>;

const Paper& paper(std::string_view name) { return **find_paper(name); }

Ids select(std::string_view name, const Ids& ids) {
  Ids out;
  const auto rows = select_rows(paper(name), ids);
  if (!rows) return {rows.error().message};
  for (const PaperRow* row : *rows) out.emplace_back(row->id);
  return out;
}

std::vector<const PaperRow*> all_of(std::string_view name) { return *select_rows(paper(name), {}); }

// The columns of the printed tables, added up: a slip in one value shows.
struct Sums {
  std::size_t rows = 0;
  double goodput = 0, goodput_ci = 0, delay = 0, delay_ci = 0;
};

Sums sums_of(std::string_view name, std::string_view table) {
  Sums sums;
  for (const PaperRow* row : all_of(name)) {
    if (row->table != table || !row->printed()) continue;
    ++sums.rows;
    sums.goodput += row->goodput_kbit_s.mean;
    sums.goodput_ci += row->goodput_kbit_s.ci90;
    sums.delay += row->delay_s.mean;
    sums.delay_ci += row->delay_s.ci90;
  }
  return sums;
}

void expect_sums(std::string_view name, std::string_view table, const Sums& printed) {
  SCOPED_TRACE(table);
  const Sums sums = sums_of(name, table);
  EXPECT_EQ(sums.rows, printed.rows);
  EXPECT_NEAR(sums.goodput, printed.goodput, 1e-9);
  EXPECT_NEAR(sums.goodput_ci, printed.goodput_ci, 1e-9);
  EXPECT_NEAR(sums.delay, printed.delay, 1e-9);
  EXPECT_NEAR(sums.delay_ci, printed.delay_ci, 1e-9);
}

TEST(Catalogue, OfPaper002AddsUpAsItsTables) {
  expect_sums("002", "Table 2",
              {4, 294.5 + 203.6 + 105 + 52.5, 5.6 + 3.6 + 1.6 + 0.8, 0.55 + 0.71 + 0.99 + 1.97, 0.22});
  expect_sums("002", "Table 3",
              {4, 290.5 + 200.1 + 102.1 + 50.4, 4.2 + 3.7 + 1.5 + 1.5, 0.47 + 0.53 + 0.72 + 1.12, 0.2});
  expect_sums("002", "Table 4",
              {4, 295.1 + 204.5 + 103.8 + 52.3, 5.9 + 3.6 + 1.3 + 0.9, 0.62 + 0.75 + 0.88 + 1.57, 0.16});
  expect_sums("002", "Table 5",
              {4, 292.7 + 203.3 + 100.9 + 50.0, 4.6 + 2.4 + 1.8 + 1.9, 0.52 + 0.63 + 0.7 + 1.32, 0.21});
  expect_sums(
      "002", "Table 6",
      {8, 277.1 + 298.6 + 185.1 + 201.9 + 89.9 + 93.4 + 42.1 + 48.5,
       6.1 + 4.8 + 4.5 + 3.1 + 5.8 + 2.6 + 1.4 + 1.6, 0.72 + 0.89 + 0.94 + 1.28 + 1.58 + 2.44 + 3.12 + 4.33,
       0.04 + 0.01 + 0.07 + 0.02 + 0.14 + 0.06 + 0.21 + 0.09});
}

TEST(Catalogue, OfPaper000AddsUpAsItsTable2) {
  expect_sums("000", "Table 2",
              {10, 281.9 + 311.2 + 296.2 + 304.6 + 308.9 + 299.9 + 306.3 + 305.1 + 301.1 + 306.2,
               8.9 + 2.5 + 5.6 + 4.2 + 4.6 + 3.9 + 6.9 + 3.7 + 4.6 + 3.1,
               0.85 + 0.76 + 0.54 + 0.57 + 0.63 + 1.09 + 0.56 + 0.78 + 0.51 + 0.63,
               0.05 + 0.01 + 0.02 + 0.02 + 0.02 + 0.02 + 0.03 + 0.01 + 0.03 + 0.02});
}

// Each row with ACK stages stands beside itself by Fig. 3 to the letter; neither is judged by what it was not
// fitted for.
TEST(Catalogue, RowsWithAckStagesHaveALiteralFormBesideThem) {
  std::size_t pairs = 0;
  for (const PaperRow& row : paper("000").rows) {
    const std::string& ack = row.value("ack");
    if (ack.empty()) continue;
    EXPECT_EQ(row.delay_limit, kUnjudged) << row.id;
    if (row.id.ends_with("/literal")) continue;
    ++pairs;
    const PaperRow& literal = *(&row + 1);
    EXPECT_EQ(literal.id, row.id + "/literal");
    EXPECT_EQ(literal.goodput_limit, kUnjudged) << row.id;
    EXPECT_EQ(literal.value("aqm"), row.value("aqm")) << row.id;
    EXPECT_EQ(literal.goodput_kbit_s.mean, row.goodput_kbit_s.mean) << row.id;
    const std::string same = ack.substr(0, ack.find(", occupancy"));
    EXPECT_EQ(literal.value("ack"), same + ", occupancy: full, literal: yes}}]");
  }
  EXPECT_EQ(pairs, 6u);
}

// 002 Table 6 is of the parameters that Tables 3 and 5 propose.
TEST(Catalogue, FourFlowsHaveTheParametersOfTheProposals) {
  for (const char* rate : {"384", "256", "128", "64"}) {
    const auto aqm_of = [&](const char* group) {
      return (*select_rows(paper("002"), Ids{group + std::string(rate)}))[0]->value("aqm");
    };
    EXPECT_EQ(aqm_of("B7/sbd-"), aqm_of("B2/"));
    EXPECT_EQ(aqm_of("B7/red-"), aqm_of("B4/"));
  }
}

TEST(Catalogue, HasEachIdOnceAndAPaperForEach) {
  std::set<std::string_view> ids;
  for (const Paper& p : papers()) {
    for (const PaperRow& row : p.rows) {
      EXPECT_TRUE(ids.insert(row.id).second) << row.id;
      EXPECT_EQ(row.paper, p.name) << row.id;
      if (row.goodput_limit == kUnjudged || !row.printed()) continue;
      const bool wide = row.value("rate") == "128" || row.value("aqm").starts_with("{red");
      EXPECT_DOUBLE_EQ(row.goodput_limit, wide ? 0.075 : 0.05) << row.id;
    }
  }
}

TEST(SelectRows, ByAnIdOrByAGroupKeepsTheTablesOrder) {
  EXPECT_EQ(select("000", {"A6", "A1"}), (Ids{"A1", "A6"}));
  EXPECT_EQ(select("002", {"B5"}), (Ids{"B5/384", "B5/256", "B5/128", "B5/64"}));
  EXPECT_EQ(select("002", {"B6/128", "B5/64"}), (Ids{"B5/64", "B6/128"}));
  EXPECT_EQ(select("002", {}).size(), 34u);
}

TEST(SelectRows, ARowIsItselfAloneAndItsOtherFormIsNamed) {
  EXPECT_EQ(select("000", {"A2"}), (Ids{"A2"}));
  EXPECT_EQ(select("000", {"A15"}), (Ids{"A15/1", "A15/4"}));
  EXPECT_EQ(select("000", {"A2/literal"}), (Ids{"A2/literal"}));
}

TEST(SelectRows, OfAnUnknownIdNamesTheNearestAndAllValidOnes) {
  const std::string said = select("002", {"B5/383"}).at(0);
  EXPECT_EQ(said.find("--row: found 'B5/383', expected a row of paper 002 (B1/384, B1, B1/256, "), 0u)
      << said;
  EXPECT_NE(said.find(" or B11/5-1000); did you mean `B5/384`?"), std::string::npos) << said;
}

TEST(SelectRows, OfAnotherPaperIsRefused) {
  EXPECT_EQ(select("000", {"B5"}).at(0).substr(0, 49), "--row: found 'B5', expected a row of paper 000 (A");
}

TEST(FindPaper, OfAnUnknownNameNamesTheValidOnes) {
  const auto found = find_paper("003x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "found paper '003x', expected 000, 001, 002, 003, 004 or linux; `rnclab paper --list` shows "
            "their rows");
  EXPECT_EQ(found.error().exit_code, 2);
}

TEST(FindPaper, OfNoNameNamesTheValidOnes) {
  EXPECT_EQ(find_paper("").error().message,
            "found no paper's name, expected 000, 001, 002, 003, 004 or linux; `rnclab paper --list` shows "
            "their rows");
}

TEST(OverridesOfARow, MakeItsRateBufferFlowsAndAqm) {
  const auto rows = *select_rows(paper("002"), Ids{"B6/128"});
  std::vector<std::string> all;
  for (const auto& o : rows[0]->overrides) all.push_back(o.key + "=" + o.value);
  EXPECT_EQ(all,
            (Ids{"flows.0.count=4", "classes.bearer.downlink.rate=128k", "classes.bearer.uplink.rate=128k",
                 "classes.bearer.downlink.buffer.sdus=40", "classes.bearer.downlink.aqm=drop-tail"}));
}

TEST(OverridesOfARow, PutItsAckStagesOnTheUplink) {
  const auto rows = *select_rows(paper("000"), Ids{"A9"});
  const auto all = rows[0]->overrides;
  EXPECT_EQ(all.back().key, "classes.bearer.uplink.ack");
  EXPECT_EQ(all.back().value, rows[0]->value("ack"));
}

TEST(Fitted, HasThePapersOwnChoicesBehindThoseOfBoth) {
  EXPECT_EQ(paper("000").fitted.find(paper("002").fitted), 0u);
  EXPECT_NE(paper("000").fitted.find("; of ACK rate control: "), std::string::npos);
}

// Settings of the first point that the paper simulates.
config::Overrides first_of(const Paper& paper) {
  if (!paper.rows.empty()) return paper.rows[0].overrides;
  if (!paper.figures.empty()) return overrides_of(paper, figure_points(paper, false).front());
  return overrides_of(paper, scene_points(paper).front());
}

// RFC 7323 appendix G is from 2014. 001 section 6 explains why it uses it all the same.
TEST(Catalogue, SendersOfThePapersTimeCountEachRoundTripInFull) {
  std::vector<std::string> stamped;
  for (const Paper& paper : papers()) {
    if (paper.part == "today" || paper.name == "linux") continue;
    const auto scenario = load_scenario(paper.scenario_text, paper.scenario, first_of(paper));
    ASSERT_TRUE(scenario) << paper.file;
    for (const Flow& flow : scenario->flows) {
      if (!flow.tcp.timestamps) continue;
      EXPECT_EQ(flow.tcp.rto.weigh, paper.part == "web") << paper.file << " " << flow.name;
      if (stamped.empty() || stamped.back() != paper.file) stamped.push_back(paper.file);
    }
  }
  EXPECT_EQ(stamped, (Ids{"papers/001.yaml", "papers/001-web.yaml"}));
}

const char* const kPaper = R"(version: 1
title: Somebody's
scenario: s.yaml
columns:
  flows: {heading: ">FLOWS", sets: [flows.0.count], initial: 1}
rows:
  one: {goodput_kbit_s: [100, 2], delay_s: [0.5, 0.1]}
  two: {flows: 2, set: {duration: 5s}}
changes:
  - {text: two flows have less goodput, of: goodput_kbit_s, rows: [two over one], at_most: 0}
)";

TEST(LoadPaper, OfAFileIsWhatItSays) {
  const tools::ScratchFolder scratch;
  std::ofstream(scratch.path() / "mine.yaml") << kPaper;
  std::ofstream(scratch.path() / "s.yaml") << "the scenario";
  const auto found = find_paper((scratch.path() / "mine.yaml").string());
  ASSERT_TRUE(found) << found.error().message;
  const Paper& mine = **found;
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.scenario_text, "the scenario");
  ASSERT_EQ(mine.rows.size(), 2u);
  EXPECT_TRUE(mine.rows[0].printed());
  EXPECT_EQ(mine.rows[1].flows(), 2u);
  EXPECT_EQ(mine.rows[1].overrides.back().key, "duration");
  EXPECT_EQ(mine.changes.at(0).pairs.at(0).base, "one");
}

TEST(LoadPaper, ProblemsHaveLineAndReason) {
  std::string text = kPaper;
  text.replace(text.find("two over one"), 12, "two for one");
  text.replace(text.find("flows: 2"), 8, "flaws: 2");
  const auto loaded = load_paper(text, "mine.yaml");
  ASSERT_FALSE(loaded);
  ASSERT_EQ(loaded.problems.size(), 2u);
  EXPECT_NE(to_string(loaded.problems[0]).find("mine.yaml:8"), std::string::npos)
      << to_string(loaded.problems[0]);
  EXPECT_NE(to_string(loaded.problems[1]).find("expected ROW over ROW"), std::string::npos)
      << to_string(loaded.problems[1]);
}

TEST(FindPaper, OfAFileThatIsNotThereOrHasNoRowsSaysSo) {
  EXPECT_EQ(find_paper("none/mine.yaml").error().exit_code, 3);
  const tools::ScratchFolder scratch;
  const std::string file = (scratch.path() / "mine.yaml").string();
  std::ofstream(file) << "version: 1\ntitle: Nothing\nscenario: s.yaml\n";
  EXPECT_NE(find_paper(file).error().message.find("expected `rows`"), std::string::npos);
}

RowSummary summary_of(double goodput, double delay, double bo = 24) {
  RunFigures f;
  f.goodput = goodput;
  f.delay = delay;
  f.bo = bo;
  return RowSummary(std::vector{f});
}

// Every row exactly as printed, but those that `off` changes.
Results as_printed(std::string_view name) {
  Results results;
  for (const PaperRow* row : all_of(name)) {
    if (!row->printed()) continue;
    results[row->id] = summary_of(row->goodput_kbit_s.mean, row->delay_s.mean, row->id == "A4" ? 16 : 24);
  }
  return results;
}

std::string failing(const std::vector<Claim>& claims) {
  std::string all;
  for (const auto& claim : claims) all += claim.holds ? "" : claim.text + ": " + claim.ours + "\n";
  return all;
}

TEST(Judge, AtTheLimitIsInsideBeyondItOutside) {
  const PaperRow& row = *all_of("000")[0];
  EXPECT_TRUE(judge(row, summary_of(281.9 * 1.0499, 0.85 * 1.249)).goodput_inside);
  EXPECT_TRUE(judge(row, summary_of(281.9 * 1.0499, 0.85 * 1.249)).delay_inside);
  EXPECT_FALSE(judge(row, summary_of(281.9 * 0.949, 0.85)).goodput_inside);
  EXPECT_FALSE(judge(row, summary_of(281.9, 0.85 * 0.749)).delay_inside);
  EXPECT_NEAR(judge(row, summary_of(281.9 * 1.02, 0.85)).goodput_ratio, 1.02, 1e-12);
}

TEST(Verdicts, OnThePrintedValuesAllHold) {
  for (const Paper& p : papers()) EXPECT_EQ(failing(verdicts(all_of(p.name), as_printed(p.name))), "");
}

TEST(Verdicts, OneDelayInEightBeyondFifteenPercentBreaksTheNineOfTen) {
  auto results = as_printed("002");
  results["B5/64"] = summary_of(42.1, 3.12 * 1.2);
  EXPECT_EQ(failing(verdicts(all_of("002"), results)), "");
  EXPECT_EQ(failing(verdicts(*select_rows(paper("002"), Ids{"B5", "B6"}), results)),
            "delay within 15 % on nine rows of ten: 7 of 8\n");
}

TEST(Verdicts, GoodputOffByFourPercentEverywhereBreaksTheMeanAlone) {
  auto results = as_printed("000");
  results["A1"] = summary_of(281.9 * 1.04, 0.85);
  results["A6"] = summary_of(299.9 * 0.96, 1.09);
  EXPECT_EQ(failing(verdicts(*select_rows(paper("000"), Ids{"A1", "A6"}), results)),
            "goodput off by at most 3 % on average: 4.0 %\n");
}

TEST(Verdicts, MeansAndSharesAreRulesOfTenRowsAndToldOfFewer) {
  const auto needs = [](const std::vector<Claim>& all) {
    std::string out;
    for (const Claim& claim : all) out += claim.need == Need::required ? 'R' : 't';
    return out;
  };
  EXPECT_EQ(needs(verdicts(*select_rows(paper("002"), Ids{"B5", "B6"}), as_printed("002"))), "RtRtt");
  EXPECT_EQ(needs(verdicts(all_of("002"), as_printed("002"))), "RRRRR");
}

TEST(Verdicts, WhatIsToldAndNotJudgedDoesNotCount) {
  const auto rows = *select_rows(paper("000"), Ids{"A1", "A2"});
  auto results = as_printed("000");
  results["A2"] = summary_of(311.2, 0.76 * 2);
  results["A2/literal"] = summary_of(100, 2);
  const auto all = verdicts(rows, results);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(failing(all), "");
  EXPECT_EQ(all[0].ours, "2 of 2");
  EXPECT_EQ(all[2].ours, "1 of 1") << "of delays";
  EXPECT_EQ(verdicts(*select_rows(paper("000"), Ids{"A2"}), results).size(), 2u);
  EXPECT_TRUE(verdicts(*select_rows(paper("000"), Ids{"A2/literal"}), results).empty());
}

TEST(Verdicts, OfNoResultsAreNone) { EXPECT_TRUE(verdicts(all_of("000"), {}).empty()); }

TEST(Claims, OnThePrintedValuesAllHold) {
  EXPECT_EQ(failing(claims(paper("000"), all_of("000"), as_printed("000"))), "");
  EXPECT_EQ(failing(claims(paper("002"), all_of("002"), as_printed("002"))), "");
  EXPECT_EQ(claims(paper("000"), all_of("000"), as_printed("000")).size(), 14u);
  EXPECT_EQ(claims(paper("002"), all_of("002"), as_printed("002")).size(), 16u);
}

TEST(Claims, SayWhereAnOrderIsBroken) {
  auto results = as_printed("002");
  results["B5/128"] = summary_of(89.9, 0.9);
  const auto found = claims(paper("002"), all_of("002"), results);
  EXPECT_EQ(found[0].text, "one flow: the delay rises as the rate falls");
  EXPECT_EQ(found[0].paper, "0.72 < 0.94 < 1.58 < 3.12 s");
  EXPECT_EQ(found[0].ours, "0.72 < 0.94 >= 0.90 < 3.12 s");
  EXPECT_FALSE(found[0].holds);
}

TEST(Claims, OfAChangeSayBothSidesAndWhichOneBreaksIt) {
  auto results = as_printed("002");
  results["B2/128"] = summary_of(89.9 * 0.99, 0.72);
  for (const Claim& claim : claims(paper("002"), all_of("002"), results)) {
    if (!claim.text.starts_with("one flow: SBD's goodput is above drop-tail's")) continue;
    EXPECT_EQ(claim.paper, "+4.8, +8.1, +13.6, +19.7 %");
    EXPECT_EQ(claim.ours, "+4.8, +8.1, -1.0, +19.7 %");
    EXPECT_FALSE(claim.holds);
    EXPECT_EQ(claim.need, Need::required);
    return;
  }
  FAIL() << "no such claim";
}

TEST(Claims, OfTheMostAtTheLastRateFailWhenAnotherRateHasMore) {
  auto results = as_printed("002");
  results["B4/384"] = summary_of(277.1 * 1.3, 0.52);
  EXPECT_NE(failing(claims(paper("002"), all_of("002"), results))
                .find("RED's goodput is above drop-tail's at each rate, most at 64 kbit/s: +30.0, +9.8, "
                      "+12.2, +18.8 %"),
            std::string::npos);
}

TEST(Claims, OfRowsWithoutAPrintedValueHaveThePercentagesOfThePaper) {
  auto results = as_printed("002");
  for (const char* rate : {"384", "256", "128", "64"}) {
    for (const char* aqm : {"B7/sbd-", "B7/red-"}) {
      const auto rows = *select_rows(paper("002"), Ids{aqm + std::string(rate)});
      results[rows[0]->id] = summary_of(40, 0.5);
    }
  }
  const auto all = claims(paper("002"), all_of("002"), results);
  EXPECT_EQ(all.size(), 20u);
  const auto told =
      std::ranges::find(all, "four flows: SBD's goodput is above drop-tail's at each rate", &Claim::text);
  ASSERT_NE(told, all.end());
  EXPECT_EQ(told->paper, "+3.0, +4.0, +8.0, +8.0 %");
  EXPECT_FALSE(told->holds);
  EXPECT_EQ(told->need, Need::told);
}

TEST(Claims, OfRowsThatWereNotRunAreLeftOut) {
  const auto rows = *select_rows(paper("002"), Ids{"B5/384", "B6/384"});
  auto results = as_printed("002");
  EXPECT_EQ(claims(paper("002"), rows, results).size(), 1u);
  results.erase("B6/384");
  EXPECT_TRUE(claims(paper("002"), rows, results).empty());
}

TEST(Claims, OccupanciesAreJudgedWithinFifteenPercent) {
  auto results = as_printed("000");
  results["A1"] = summary_of(281.9, 0.85, 19);
  EXPECT_EQ(failing(claims(paper("000"), all_of("000"), results)),
            "A1: the mean buffer occupancy is around 24 SDUs (within 15 %): 19.0 SDUs\n");
  results = as_printed("000");
  results["A4"] = summary_of(304.6, 0.57, 19);
  EXPECT_EQ(failing(claims(paper("000"), all_of("000"), results)),
            "A4: the mean buffer occupancy is around 16 SDUs (within 15 %): 19.0 SDUs\n");
}

}  // namespace
}  // namespace lab
