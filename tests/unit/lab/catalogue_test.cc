#include "tools/lab/catalogue.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tools/lab/claims.h"

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
TEST(Catalogue, OfPaper002AddsUpAsItsTable6) {
  double goodput = 0, goodput_ci = 0, delay = 0, delay_ci = 0;
  for (const PaperRow* row : all_of("002")) {
    EXPECT_EQ(row->table, "Table 6");
    EXPECT_EQ(row->buffer_sdus, 40u);
    goodput += row->goodput_kbit_s.mean;
    goodput_ci += row->goodput_kbit_s.ci90;
    delay += row->delay_s.mean;
    delay_ci += row->delay_s.ci90;
  }
  EXPECT_NEAR(goodput, 277.1 + 298.6 + 185.1 + 201.9 + 89.9 + 93.4 + 42.1 + 48.5, 1e-9);
  EXPECT_NEAR(goodput_ci, 6.1 + 4.8 + 4.5 + 3.1 + 5.8 + 2.6 + 1.4 + 1.6, 1e-9);
  EXPECT_NEAR(delay, 0.72 + 0.89 + 0.94 + 1.28 + 1.58 + 2.44 + 3.12 + 4.33, 1e-9);
  EXPECT_NEAR(delay_ci, 0.04 + 0.01 + 0.07 + 0.02 + 0.14 + 0.06 + 0.21 + 0.09, 1e-9);
}

TEST(Catalogue, OfPaper000HasTheConventionalRowsOfItsTable2) {
  const auto rows = all_of("000");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]->flows, 1u);
  EXPECT_DOUBLE_EQ(rows[0]->goodput_kbit_s.mean, 281.9);
  EXPECT_DOUBLE_EQ(rows[0]->delay_s.mean, 0.85);
  EXPECT_EQ(rows[1]->flows, 4u);
  EXPECT_DOUBLE_EQ(rows[1]->goodput_kbit_s.ci90, 3.9);
  EXPECT_DOUBLE_EQ(rows[1]->delay_s.ci90, 0.02);
}

TEST(Catalogue, HasEachIdOnceAndAPaperForEach) {
  std::set<std::string_view> ids;
  for (const PaperRow& row : paper_rows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_TRUE(find_paper(row.paper)) << row.id;
    EXPECT_DOUBLE_EQ(row.goodput_limit, row.rate_kbit_s == 128 ? 0.075 : 0.05) << row.id;
  }
}

TEST(SelectRows, ByAnIdOrByAGroupKeepsTheTablesOrder) {
  EXPECT_EQ(select("000", {"A6", "A1"}), (Ids{"A1", "A6"}));
  EXPECT_EQ(select("002", {"B5"}), (Ids{"B5/384", "B5/256", "B5/128", "B5/64"}));
  EXPECT_EQ(select("002", {"B6/128", "B5/64"}), (Ids{"B5/64", "B6/128"}));
  EXPECT_EQ(select("002", {}).size(), 8u);
}

TEST(SelectRows, OfAnUnknownIdNamesTheNearestAndAllValidOnes) {
  EXPECT_EQ(
      select("002", {"B5/383"}),
      Ids{"--row: found 'B5/383', expected a row of paper 002 (B5/384, B5, B5/256, B5/128, B5/64, B6/384, "
          "B6, B6/256, B6/128 or B6/64); did you mean `B5/384`?"});
}

TEST(SelectRows, OfAnotherPaperIsRefused) {
  EXPECT_EQ(select("000", {"B5"}).at(0).substr(0, 49), "--row: found 'B5', expected a row of paper 000 (A");
}

TEST(FindPaper, OfAnUnknownNameNamesTheValidOnes) {
  const auto found = find_paper("003x");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "found paper '003x', expected 000 or 002; `rnclab paper --list` shows their rows");
  EXPECT_EQ(found.error().exit_code, 2);
}

TEST(FindPaper, OfNoNameNamesTheValidOnes) {
  EXPECT_EQ(find_paper("").error().message,
            "found no paper's name, expected 000 or 002; `rnclab paper --list` shows their rows");
}

TEST(OverridesOfARow, MakeItsRateBufferFlowsAndAqm) {
  const auto rows = *select_rows(paper("002"), Ids{"B6/128"});
  std::vector<std::string> all;
  for (const auto& o : overrides_of(*rows[0])) all.push_back(o.key + "=" + o.value);
  EXPECT_EQ(all, (Ids{"classes.bearer.downlink.rate=128k", "classes.bearer.uplink.rate=128k",
                      "classes.bearer.downlink.buffer.sdus=40", "classes.bearer.downlink.aqm=drop-tail",
                      "flows.0.count=4"}));
}

RowSummary summary(double goodput, double delay, double bo = 24) {
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
    results[row->id] = summary(row->goodput_kbit_s.mean, row->delay_s.mean);
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
  EXPECT_TRUE(judge(row, summary(281.9 * 1.0499, 0.85 * 1.249)).goodput_inside);
  EXPECT_TRUE(judge(row, summary(281.9 * 1.0499, 0.85 * 1.249)).delay_inside);
  EXPECT_FALSE(judge(row, summary(281.9 * 0.949, 0.85)).goodput_inside);
  EXPECT_FALSE(judge(row, summary(281.9, 0.85 * 0.749)).delay_inside);
  EXPECT_NEAR(judge(row, summary(281.9 * 1.02, 0.85)).goodput_ratio, 1.02, 1e-12);
}

TEST(Verdicts, OnThePrintedValuesAllHold) {
  for (const Paper& p : papers()) EXPECT_EQ(failing(verdicts(all_of(p.name), as_printed(p.name))), "");
}

TEST(Verdicts, OneDelayInEightBeyondFifteenPercentBreaksTheNineOfTen) {
  auto results = as_printed("002");
  results["B5/64"] = summary(42.1, 3.12 * 1.2);
  EXPECT_EQ(failing(verdicts(all_of("002"), results)), "delay within 15 % on nine rows of ten: 7 of 8\n");
}

TEST(Verdicts, GoodputOffByFourPercentEverywhereBreaksTheMeanAlone) {
  auto results = as_printed("000");
  results["A1"] = summary(281.9 * 1.04, 0.85);
  results["A6"] = summary(299.9 * 0.96, 1.09);
  EXPECT_EQ(failing(verdicts(all_of("000"), results)), "goodput off by at most 3 % on average: 4.0 %\n");
}

TEST(Verdicts, OfNoResultsAreNone) { EXPECT_TRUE(verdicts(all_of("000"), {}).empty()); }

TEST(Claims, OnThePrintedValuesAllHold) {
  EXPECT_EQ(failing(claims(paper("000"), all_of("000"), as_printed("000"))), "");
  EXPECT_EQ(failing(claims(paper("002"), all_of("002"), as_printed("002"))), "");
  EXPECT_EQ(claims(paper("002"), all_of("002"), as_printed("002")).size(), 6u);
}

TEST(Claims, SayWhereAnOrderIsBroken) {
  auto results = as_printed("002");
  results["B5/128"] = summary(89.9, 0.9);
  const auto found = claims(paper("002"), all_of("002"), results);
  EXPECT_EQ(found[0].text, "one flow: the delay rises as the rate falls");
  EXPECT_EQ(found[0].paper, "0.72 < 0.94 < 1.58 < 3.12 s");
  EXPECT_EQ(found[0].ours, "0.72 < 0.94 >= 0.90 < 3.12 s");
  EXPECT_FALSE(found[0].holds);
}

TEST(Claims, OfRowsThatWereNotRunAreLeftOut) {
  const auto rows = *select_rows(paper("002"), Ids{"B5/384", "B6/384"});
  auto results = as_printed("002");
  EXPECT_EQ(claims(paper("002"), rows, results).size(), 1u);
  results.erase("B6/384");
  EXPECT_TRUE(claims(paper("002"), rows, results).empty());
}

TEST(Claims, TheOccupancyOfA1IsJudgedWithinFifteenPercent) {
  auto results = as_printed("000");
  results["A1"] = summary(281.9, 0.85, 19);
  EXPECT_EQ(failing(claims(paper("000"), all_of("000"), results)),
            "A1: the mean buffer occupancy is around 24 SDUs (within 15 %): 19.0 SDUs\n");
}

}  // namespace
}  // namespace lab
