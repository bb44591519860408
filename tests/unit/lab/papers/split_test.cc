// The bench of paper 003, and its claims in the short form.
#include <algorithm>
#include <filesystem>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/papers/figure_points.h"

namespace lab {
namespace {

using testing::Ran;
using testing::ran_paper;

Scenario split_scenario(const Paper& paper, const FigurePoint& p) {
  auto loaded = load_scenario(paper.scenario_text, paper.scenario, overrides_of(paper, p));
  EXPECT_TRUE(loaded) << testing::problems_of(loaded);
  return loaded.value.value_or(Scenario{});
}

TEST(PaperSplit, HasItsCellsOnTheSameBench) {
  const Paper& paper = **find_paper("003");
  const auto points = figure_points(paper, false);
  EXPECT_EQ(points.size(), 36u);
  for (const FigurePoint& p : points) {
    SCOPED_TRACE(paper.figures[p.figure].name + " " + std::string(p.line));
    const Scenario s = split_scenario(paper, p);
    ASSERT_EQ(s.flows.size(), 1u);
    for (const dp::LegSettings* leg : {&s.classes[0].downlink, &s.classes[0].uplink}) {
      EXPECT_EQ(leg->rate, static_cast<std::uint64_t>(p.x * 1000));
      const auto& air = std::get<dp::AmLinkConfig>(leg->link);
      EXPECT_EQ(air.errors, dp::AmErrors::pdu);
      EXPECT_EQ(air.fer, 0.1);
      EXPECT_EQ(air.repeat_unreported, std::chrono::milliseconds(160));
      EXPECT_FALSE(air.poll_last || air.poll_last_retransmission || air.missing_pdu);
    }
    const Flow& flow = s.flows[0];
    EXPECT_EQ(s.wires[s.servers[flow.server].wire].loss, 0.01);
    EXPECT_EQ(s.wires[s.servers[flow.server].back].loss, 0) << "ACKs are not lost";
    EXPECT_EQ(flow.tcp.initial_ssthresh, flow.sink.window);
    EXPECT_EQ(flow.sink.window, 32'768u);
    const auto& proxy = s.classes[0].proxy;
    ASSERT_EQ(proxy.has_value(), p.line != "none");
    if (!proxy) continue;
    EXPECT_EQ(proxy->window, flow.sink.window);
    EXPECT_EQ("IW" + std::to_string(proxy->initial_window), p.line);
    EXPECT_EQ(proxy->min_rto, flow.tcp.rto.floor);
  }
}

PaperOptions split_options(const std::string& part = "") {
  PaperOptions options;
  options.name = "003";
  options.part = part;
  options.brief = true;
  options.jobs = default_jobs();
  return options;
}

void expect_required(const Ran& ran, std::size_t least) {
  EXPECT_EQ(ran.code, 0) << ran.said;
  std::size_t judged = 0;
  for (const Json& claim : ran.json["claims"]) {
    if (!claim["required"].get<bool>()) continue;
    ++judged;
    EXPECT_TRUE(claim["holds"].get<bool>()) << claim.dump();
  }
  EXPECT_GE(judged, least);
}

TEST(PaperSplit, WhatIsRequiredHoldsInTheShortForm) {
  const Ran ran = ran_paper(split_options());
  expect_required(ran, 10);
  EXPECT_EQ(ran.json["gains"].size(), 27u);
}

TEST(PaperSplit, OverRoundTripsOfTheAirFrom20MsTo2SNoInitialWindowLosesInTheShortForm) {
  expect_required(ran_paper(split_options("air")), 7);
}

TEST(PaperSplit, TodayWhatIsRequiredHoldsInTheShortForm) {
  expect_required(ran_paper(split_options("today")), 3);
}

// Without losses and errors a proxy gains no third.
TEST(PaperSplit, ARequiredClaimThatDoesNotHoldFailsTheCommand) {
  PaperOptions options = split_options();
  options.seconds = 400;
  options.set = {"wires.down.loss=0%", "wires.down.delay=1ms", "wires.up.delay=1ms"};
  const Ran ran = ran_paper(options);
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.said.find("required claim"), ran.said.npos) << ran.said;
}

TEST(PaperSplit, ThePicturesAreFig6AndFig7AndOfTheGainsOverTheRate) {
  const tools::ScratchFolder scratch;
  PaperOptions options = split_options();
  options.seconds = 200;
  options.plot = scratch.path().string();
  ran_paper(options);
  for (const char* size : {"50kB", "100kB", "200kB"}) {
    const std::string name = std::string("paper-003-gain-") + size;
    EXPECT_GT(std::filesystem::file_size(scratch.path() / (name + ".png")), 1'000u) << size;
  }
  for (const char* name : {"paper-003-fig6", "paper-003-fig7"}) {
    EXPECT_GT(std::filesystem::file_size(scratch.path() / (name + std::string(".png"))), 1'000u) << name;
  }
  const std::string sizes = testing::content(scratch.path() / "paper-003-fig6.csv");
  EXPECT_TRUE(sizes.starts_with("line,x,file_rate,file_rate_ci90\n\"50kB none\",64,")) << sizes;
  EXPECT_NE(sizes.find("\"200kB IW3\",256,"), std::string::npos) << sizes;
  const std::string windows = testing::content(scratch.path() / "paper-003-fig7.csv");
  EXPECT_NE(windows.find("\"IW10\",256,"), std::string::npos) << windows;
  EXPECT_NE(testing::content(scratch.path() / "paper-003-fig7.gp").find("Paper 003, Fig. 7"),
            std::string::npos);
  const std::string data = testing::content(scratch.path() / "paper-003-gain-50kB.csv");
  EXPECT_TRUE(data.starts_with("line,x,gain_percent,gain_ci90\n")) << data;
}

}  // namespace
}  // namespace lab
