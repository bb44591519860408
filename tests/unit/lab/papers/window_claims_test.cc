// What is read off lines, and statements over figures that were made up.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tools/lab/papers/window_lines.h"
#include "tools/lab/papers/window_report.h"

namespace lab {
namespace {

TEST(WindowLines, ValuesBetweenNeighboursAreLinearAndOutsideThereAreNone) {
  const FigureCurve line{{1, 10}, {3, 20}, {4, 0}};
  EXPECT_EQ(value_at(line, 1), 10);
  EXPECT_EQ(value_at(line, 2), 15);
  EXPECT_EQ(value_at(line, 3.5), 10);
  EXPECT_TRUE(std::isnan(value_at(line, 0)));
  EXPECT_TRUE(std::isnan(value_at(line, 5)));
  EXPECT_TRUE(std::isnan(value_at({}, 5)));
}

TEST(WindowLines, FallBelowZeroWhereTheyCross) {
  EXPECT_DOUBLE_EQ(falls_below_zero({{0, 1}, {10, 3}, {20, -1}, {30, 5}, {40, -5}}), 17.5);
  EXPECT_TRUE(std::isnan(falls_below_zero({{0, 1}, {10, 2}})));
  EXPECT_TRUE(std::isnan(falls_below_zero({{0, -1}, {10, -2}}))) << "never above";
}

TEST(WindowLines, TheRangeIsOfThoseAsked) {
  const FigureCurve line{{1, 10}, {3, 20}, {4, 0}};
  EXPECT_EQ(range_of(line, 1, 3), std::pair(10.0, 20.0));
  EXPECT_EQ(range_of(line, 0, 9), std::pair(0.0, 20.0));
  EXPECT_TRUE(std::isnan(range_of(line, 5, 9).first));
}

RowSummary at(double goodput, double rtt = 0.5, double loss = 0) {
  RunFigures run;
  run.goodput = goodput;
  run.rtt = rtt;
  run.loss = loss;
  return RowSummary(std::span(&run, 1));
}

const Claim* find(const std::vector<Claim>& claims, const std::string& part) {
  for (const Claim& c : claims) {
    if (c.text.find(part) != std::string::npos) return &c;
  }
  return nullptr;
}

// One user with drop-tail at half of what the others have.
WindowResults made_up(double wrb_at_15) {
  WindowResults r;
  r[{WindowFigure::capacity, 1, "DT", 500}] = at(600);
  for (const double b : {3.0, 5.0, 8.0, 15.0, 30.0, 50.0}) {
    r[{WindowFigure::buffer, 1, "DT", b}] = at(b < 30 ? 300 : 580);
    r[{WindowFigure::buffer, 1, "WRS", b}] = at(b < 30 ? 220 : 590);
    r[{WindowFigure::buffer, 1, "AR", b}] = at(b < 30 ? 400 : 585);
    r[{WindowFigure::buffer, 1, "WRD", b}] = at(b < 30 ? 560 : 595);
    r[{WindowFigure::buffer, 1, "WRB", b}] = at(b == 15 ? wrb_at_15 : 600);
  }
  return r;
}

TEST(WindowClaims, HoldWhereTheFiguresDo) {
  const auto good = window_claims(made_up(600)), bad = window_claims(made_up(410));
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
TEST(WindowClaims, WhatNeedNotHoldSaysSo) {
  const auto all = window_claims(made_up(480));
  EXPECT_FALSE(find(all, "is about +100 %")->holds);
  EXPECT_EQ(find(all, "is about +100 %")->need, Need::told);
  EXPECT_EQ(find(all, "at least +40 %")->need, Need::required);
}

TEST(WindowClaims, AreLeftOutWherePointsAreMissing) {
  EXPECT_TRUE(window_claims({}).empty());
  EXPECT_EQ(find(window_claims(made_up(600)), "C6"), nullptr);
}

TEST(WindowClaims, CongestionIsComparedAtEqualMeasuredLoss) {
  WindowResults r;
  const auto point = [&](std::string_view scheme, double rate, double goodput, double loss) {
    r[{WindowFigure::congestion, 1, scheme, rate}] = at(goodput, 0.5, loss);
  };
  for (const auto scheme : kSchemes) point(scheme, 300, 590, 0);
  for (const auto scheme : {"DT", "WRS", "WRD"}) point(scheme, 350, 440, 0);
  for (const auto scheme : {"DT", "WRS", "WRD"}) point(scheme, 400, scheme[0] == 'D' ? 420 : 390, 1e-4);
  for (const auto scheme : {"AR", "WRB"}) point(scheme, 400, 480, 1e-4);
  for (const auto scheme : kSchemes) point(scheme, 500, 300, 1e-2);
  const auto all = window_claims(r);
  for (const char* text : {"WRB over DT at an equal", "AR over DT at an equal", "gap closes",
                           "congestion loss: WRS over DT", "congestion loss: WRD over DT"}) {
    ASSERT_NE(find(all, text), nullptr) << text;
    EXPECT_TRUE(find(all, text)->holds) << text;
  }
  EXPECT_EQ(find(all, "before anything is lost")->ours, "440 kbit/s");
}

TEST(WindowPoints, OfTheShortFormAreAmongAll) {
  const Paper& paper = **find_paper("001");
  const auto all = window_points(paper, false), few = window_points(paper, true);
  EXPECT_LT(few.size() * 2, all.size());
  for (const WindowPoint& p : few) EXPECT_NE(std::ranges::find(all, p), all.end()) << p.line << " " << p.x;
}

}  // namespace
}  // namespace lab
