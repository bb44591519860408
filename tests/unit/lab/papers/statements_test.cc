// What is read off lines, and statements over figures that were made up.
#include "tools/lab/papers/statements.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tools/lab/papers/curves.h"

namespace lab {
namespace {

TEST(Curves, ValuesBetweenNeighboursAreLinearAndOutsideThereAreNone) {
  const FigureCurve line{{1, 10}, {3, 20}, {4, 0}};
  EXPECT_EQ(value_at(line, 1), 10);
  EXPECT_EQ(value_at(line, 2), 15);
  EXPECT_EQ(value_at(line, 3.5), 10);
  EXPECT_TRUE(std::isnan(value_at(line, 0)));
  EXPECT_TRUE(std::isnan(value_at(line, 5)));
  EXPECT_TRUE(std::isnan(value_at({}, 5)));
}

TEST(Curves, FallBelowZeroWhereTheyCross) {
  EXPECT_DOUBLE_EQ(falls_below_zero({{0, 1}, {10, 3}, {20, -1}, {30, 5}, {40, -5}}), 17.5);
  EXPECT_TRUE(std::isnan(falls_below_zero({{0, 1}, {10, 2}})));
  EXPECT_TRUE(std::isnan(falls_below_zero({{0, -1}, {10, -2}}))) << "never above";
}

TEST(Curves, TheValuesAreOfThoseAsked) {
  const FigureCurve line{{1, 10}, {3, 20}, {4, 0}};
  EXPECT_EQ(values_of(line, 1, 3), (std::vector{10.0, 20.0}));
  EXPECT_EQ(values_of(line, 0, 9), (std::vector{10.0, 20.0, 0.0}));
  EXPECT_TRUE(values_of(line, 5, 9).empty());
}

RowSummary at(double goodput, double rtt = 0.5, double loss = 0) {
  RunFigures run;
  run.goodput = goodput;
  run.rtt = rtt;
  run.loss = loss;
  return RowSummary(std::span(&run, 1));
}

std::size_t figure(std::string_view name) { return figure_named(**find_paper("001"), name); }
std::vector<Claim> claims_of(const FigureResults& results) {
  return statement_claims(**find_paper("001"), results);
}

const Claim* find(const std::vector<Claim>& claims, const std::string& part) {
  for (const Claim& c : claims) {
    if (c.text.find(part) != std::string::npos) return &c;
  }
  return nullptr;
}

// One user with drop-tail at half of what the others have.
FigureResults made_up(double wrb_at_15) {
  FigureResults r;
  r[{figure("capacity"), 1, "DT", 500}] = at(600);
  for (const double b : {3.0, 5.0, 8.0, 15.0, 30.0, 50.0}) {
    r[{figure("buffer"), 1, "DT", b}] = at(b < 30 ? 300 : 580);
    r[{figure("buffer"), 1, "WRS", b}] = at(b < 30 ? 220 : 590);
    r[{figure("buffer"), 1, "AR", b}] = at(b < 30 ? 400 : 585);
    r[{figure("buffer"), 1, "WRD", b}] = at(b < 30 ? 560 : 595);
    r[{figure("buffer"), 1, "WRB", b}] = at(b == 15 ? wrb_at_15 : 600);
  }
  return r;
}

TEST(Statements, HoldWhereTheFiguresDo) {
  const auto good = claims_of(made_up(600)), bad = claims_of(made_up(410));
  EXPECT_TRUE(find(good, "at least +40 %")->holds);
  EXPECT_EQ(find(good, "at least +40 %")->ours, "+100 %");
  EXPECT_TRUE(find(good, "is about +100 %")->holds);
  EXPECT_TRUE(find(good, "DT < AR < WRD <= WRB")->holds);
  EXPECT_TRUE(find(good, "97 % of the capacity")->holds);
  EXPECT_FALSE(find(bad, "at least +40 %")->holds);
  EXPECT_FALSE(find(bad, "DT < AR < WRD <= WRB")->holds);
  EXPECT_FALSE(find(bad, "97 % of the capacity")->holds);
  EXPECT_FALSE(find(good, "with 3 packets at least +200 %")->holds);
}

// 001's 100 % at 15 packets was never found again: it is told, and no more.
TEST(Statements, WhatNeedNotHoldSaysSo) {
  const auto all = claims_of(made_up(480));
  EXPECT_FALSE(find(all, "is about +100 %")->holds);
  EXPECT_EQ(find(all, "is about +100 %")->need, Need::told);
  EXPECT_EQ(find(all, "at least +40 %")->need, Need::required);
}

TEST(Statements, AreLeftOutWherePointsAreMissing) {
  EXPECT_TRUE(claims_of({}).empty());
  EXPECT_EQ(find(claims_of(made_up(600)), "C6"), nullptr);
}

TEST(Statements, CongestionIsComparedAtEqualMeasuredLoss) {
  FigureResults r;
  const auto point = [&](std::string_view scheme, double rate, double goodput, double loss) {
    r[{figure("congestion"), 1, scheme, rate}] = at(goodput, 0.5, loss);
  };
  for (const std::string_view scheme : {"DT", "WRS", "AR", "WRD", "WRB"}) point(scheme, 300, 590, 0);
  for (const auto scheme : {"DT", "WRS", "WRD"}) point(scheme, 350, 440, 0);
  for (const auto scheme : {"DT", "WRS", "WRD"}) point(scheme, 400, scheme[0] == 'D' ? 420 : 390, 1e-4);
  for (const auto scheme : {"AR", "WRB"}) point(scheme, 400, 480, 1e-4);
  for (const std::string_view scheme : {"DT", "WRS", "AR", "WRD", "WRB"}) point(scheme, 500, 300, 1e-2);
  const auto all = claims_of(r);
  for (const char* text : {"WRB over DT at an equal", "AR over DT at an equal", "gap closes",
                           "congestion loss: WRS over DT", "congestion loss: WRD over DT"}) {
    ASSERT_NE(find(all, text), nullptr) << text;
    EXPECT_TRUE(find(all, text)->holds) << text;
  }
  EXPECT_EQ(find(all, "before anything is lost")->ours, "440 kbit/s");
}

TEST(Statements, WithoutALineOrAPatternAreRefusedWithTheirPlace) {
  const auto loaded = load_paper(R"(version: 1
title: Mine
scenario: s.yaml
part: p
lines: {A: {}, B: {}}
figures: {f: {users: [1], lines: [A, B], x: [1]}}
statements:
  - {text: good, of: [f/1/A over B, f/1/B per best], at: [1], shown: "{:.0f}, {:.1f} %"}
  - {text: other users, of: [f/2/A], at: [1]}
  - {text: no line, of: [f/1], at: [1]}
  - {text: no base, of: [f/1/A over], at: [1]}
  - {text: no pattern, of: [f/1/A], at: [1], shown: "{:d}"}
)",
                                 "mine.yaml");
  std::string said;
  for (const auto& problem : loaded.problems) said += to_string(problem) + "\n";
  ASSERT_EQ(loaded.problems.size(), 4u) << said;
  for (const char* part : {"mine.yaml:9", "found f/2/A, expected a line of `figures`", "mine.yaml:10",
                           "expected FIGURE/USERS/LINE", "mine.yaml:11", "mine.yaml:12", "text such as"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  }
}

TEST(Statements, ThatCannotBeJudgedAreRefusedWithTheirPlace) {
  const auto loaded = load_paper(R"(version: 1
title: Mine
scenario: s.yaml
part: p
lines: {A: {}, B: {}}
figures: {f: {users: [1], lines: [A, B], x: [1]}}
statements:
  - {text: one in order, of: [f/1/A], judged: order}
  - {text: one is first, of: [f/1/A], at: [1], judged: first-lowest}
  - {text: nothing, of: [f/1/A], judged: farthest, take: []}
  - {text: no such base, of: [f/1/A over C], at: [1]}
  - {text: too many numbers, of: [f/1/A], at: [1], shown: "{:.0f} of {:.0f}"}
  - {text: a part of a user, of: [f/1.5/A], at: [1]}
  - {text: good, of: [f/1/A, f/1/B], at: [1], judged: first-below-second, shown: "{:.0f} of {:.0f}"}
)",
                                 "mine.yaml");
  std::string said;
  for (const auto& problem : loaded.problems) said += to_string(problem) + "\n";
  ASSERT_EQ(loaded.problems.size(), 6u) << said;
  for (const char* part :
       {"mine.yaml:8", "found 1 values to judge by, expected at least 2", "mine.yaml:9", "mine.yaml:10",
        "found 0 values", "mine.yaml:11", "found the line C of f/1", "mine.yaml:12",
        "expected at most 1 numbers", "mine.yaml:13", "expected FIGURE/USERS/LINE"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
  }
}

TEST(PointsOfFigures, OfTheShortFormAreAmongAll) {
  const Paper& paper = **find_paper("001");
  const auto all = figure_points(paper, false), few = figure_points(paper, true);
  EXPECT_LT(few.size() * 2, all.size());
  for (const FigurePoint& p : few) EXPECT_NE(std::ranges::find(all, p), all.end()) << p.line << " " << p.x;
}

}  // namespace
}  // namespace lab
