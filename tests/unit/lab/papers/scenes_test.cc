// The scenes of paper 001 section 6: what is read of their runs, and the experiment that the program has.
#include "tools/lab/papers/scenes.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/papers/statements.h"

namespace lab {
namespace {

using testing::Ran;
using testing::ran_paper;

// User 1 has pages, 2 and 3 a download, 4 both.
const Scene kScene{"mixed", "Mixed", {1, 4}, {2, 3, 4}, {}};

RunFigures scene_run(double longer = 0) {
  RunFigures run;
  run.sizes[0] = {3, 3 + longer, 1.5, 6};  // transfers, s, s per kB, s from the request on
  run.sizes[4] = {1, 4, 0.3, 5};
  run.sizes[10] = {1, 33, 0.1, 34};
  run.flow_goodputs = {10, 20, 200, 220, 150};
  run.bearer_slots = {100, 300, 500, 100, 0};
  return run;
}

FigureCurve curve(SceneFigure figure, const std::vector<RunFigures>& runs = {scene_run()}) {
  return read_scene(kScene, figure, runs);
}

TEST(ReadScene, ResponsesAreMeansOfTheTransfersOfAllRuns) {
  const FigureCurve sizes = curve(SceneFigure::response, {scene_run(), scene_run(3)});
  ASSERT_EQ(sizes.size(), 3u) << "sizes without a transfer are left out";
  EXPECT_EQ(sizes[0], (std::pair{3.5, 1.5}));
  EXPECT_EQ(sizes[1], (std::pair{15.0, 4.0}));
  EXPECT_EQ(sizes[2], (std::pair{1001.0, 33.0}));
  EXPECT_EQ(curve(SceneFigure::all_sizes), (FigureCurve{{0, 40.0 / 5}}));
  EXPECT_EQ(curve(SceneFigure::short_sizes), (FigureCurve{{0, 7.0 / 4}}));
  EXPECT_NEAR(curve(SceneFigure::normalised)[0].second, 1.9 / 5, 1e-12);
  EXPECT_EQ(curve(SceneFigure::from_request), (FigureCurve{{3.5, 2}, {15, 5}, {1001, 34}}));
  EXPECT_EQ(curve(SceneFigure::all_from_request), (FigureCurve{{0, 45.0 / 5}}));
  EXPECT_TRUE(curve(SceneFigure::response, {}).empty());
}

TEST(ReadScene, SharesAreOfTheScenesUsersByWhatTheyHave) {
  EXPECT_EQ(curve(SceneFigure::slots), (FigureCurve{{1, 0.1}, {2, 0.3}, {3, 0.5}, {4, 0.1}}));
  EXPECT_EQ(curve(SceneFigure::web_slots), (FigureCurve{{0, 0.1}}));
  EXPECT_EQ(curve(SceneFigure::ftp_slots), (FigureCurve{{2, 0.75}, {3, 1.25}})) << "user 4 has pages, too";
  EXPECT_NEAR(curve(SceneFigure::jain)[0].second, 1 / (4 * 0.36), 1e-12);
  EXPECT_EQ(curve(SceneFigure::ftp_goodput), (FigureCurve{{0, 570}})) << "behind the two flows of pages";
}

TEST(ReadScene, TheIntervalIsOverRuns) {
  const std::vector<RunFigures> runs{scene_run(), scene_run(3)};
  const auto sizes = estimate_scene(kScene, SceneFigure::response, RowSummary(runs));
  EXPECT_DOUBLE_EQ(sizes[0].second.mean, 1.5);
  EXPECT_NEAR(sizes[0].second.ci90, 6.313752 * 0.5, 1e-5);
  EXPECT_EQ(sizes[1].second.ci90, 0);
}

const Paper& web() { return **find_paper("001", "web"); }

TEST(PaperScenes, LoadUnderEverySchemeWithTheirUsersFlows) {
  const Paper& paper = web();
  EXPECT_EQ(paper.name, "001");
  const auto points = scene_points(paper);
  EXPECT_EQ(points.size(), 4u * 4);
  for (const ScenePoint& p : points) {
    SCOPED_TRACE(paper.scenes[p.scene].name + " " + std::string(p.line));
    auto loaded = load_scenario(paper.scenario_text, paper.scenario, overrides_of(paper, p));
    ASSERT_TRUE(loaded) << testing::problems_of(loaded);
    const Scene& scene = paper.scenes[p.scene];
    ASSERT_TRUE(keep_flows(*loaded.value, scene));
    ASSERT_EQ(loaded->flows.size(), scene.web.size() + scene.ftp.size());
    for (std::size_t i = 0; i < loaded->flows.size(); ++i) {
      const bool pages = i < scene.web.size();
      const Flow& flow = loaded->flows[i];
      EXPECT_EQ(flow.bearer + 1, pages ? scene.web[i] : scene.ftp[i - scene.web.size()]);
      ASSERT_EQ(std::holds_alternative<Web::Config>(flow.traffic), pages);
      if (!pages) continue;
      EXPECT_EQ(std::get<Web::Config>(flow.traffic).gap,
                std::chrono::seconds(scene.name == "fig13" ? 300 : 15));
      EXPECT_EQ(std::get<Web::Config>(flow.traffic).size, 12'000u);
    }
    const bool fifo = p.line == "FIFO+PF";
    EXPECT_EQ(std::holds_alternative<dp::SfpSpec::Config>(loaded->classes[0].downlink.queue), !fifo);
    const bool pf = p.line.ends_with("+PF");
    EXPECT_EQ(std::holds_alternative<dp::ProportionalFairSpec::Config>(loaded->cell.scheduler), pf);
  }
}

TEST(PaperScenes, AFlowThatTheScenarioHasNotIsSaid) {
  Scenario scenario;
  const auto kept = keep_flows(scenario, kScene);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().message,
            "found no flow web1 in the scenario, expected one for user 1; name a flow so");
  EXPECT_EQ(kept.error().exit_code, 3);
}

TEST(PaperScenes, AreNoCurveWhereTheyDidNotRun) {
  EXPECT_TRUE(
      scene_curve(web(), {}, {.figure = "fig12", .of_scene = SceneFigure::jain, .line = "SFP+PF"}).empty());
  EXPECT_TRUE(
      scene_curve(web(), {}, {.figure = "none", .of_scene = SceneFigure::jain, .line = "SFP+PF"}).empty());
}

std::string said_of(const std::string& statement) {
  const auto loaded = load_paper(R"(version: 1
title: Mine
scenario: s.yaml
part: p
lines: {A: {}, B: {}}
scenes: {one: {title: One, web: [1], ftp: [2]}}
statements:
  - )" + statement + "\n",
                                 "mine-p.yaml");
  std::string said;
  for (const auto& problem : loaded.problems) said += to_string(problem) + "\n";
  EXPECT_TRUE(!loaded || loaded->name == "mine") << loaded->name;
  return said;
}

TEST(StatementsOfScenes, WithoutTheirSceneOrSchemeAreRefused) {
  EXPECT_EQ(said_of("{text: good, of: [one/jain/A over B], at: [0]}"), "");
  EXPECT_EQ(said_of("{text: good, of: [one/slots/A, one/slots/B], at: [1, 2], judged: apart}"), "");
  const auto refused = [](const std::string& statement, const std::string& part) {
    EXPECT_NE(said_of(statement).find(part), std::string::npos) << said_of(statement);
  };
  refused("{text: no scene, of: [two/jain/A], at: [0]}", "found two, expected one of `scenes`");
  refused("{text: no scheme, of: [one/jain/C], at: [0]}", "found C, expected one of `lines`");
  refused("{text: no base, of: [one/jain/A over C], at: [0]}", "found C, expected one of `lines`");
  refused("{text: no figure, of: [one/jam/A], at: [0]}", "of scenes SCENE/response");
  refused("{text: alone, of: [one/slots/A], at: [1, 2], judged: apart}", "expected two whose distance");
  refused("{text: two shown, of: [one/slots/A, one/slots/B], at: [1], judged: apart, shown: '{}{}'}",
          "expected at most 1 numbers");
}

// Two schemes whose curves are 3 and 1 apart, of which the short form shows one statement.
TEST(StatementsOfScenes, JudgeTheLargestDistanceAndLeaveOutWhatNeedsLength) {
  Paper paper;
  Statement apart;
  apart.text = "apart";
  for (const char* line : {"A", "B"}) apart.of.push_back({.figure = "s", .line = line});
  apart.at = {1, 2};
  apart.judged = Statement::Judged::apart;
  apart.at_most = 2;
  Statement within = apart;
  within.text = "within";
  within.at_most = 3;
  within.long_only = true;
  paper.statements = {apart, within};
  const Curves curves = [](const FigureLineName& name, Chart::Over) {
    return name.line == "A" ? FigureCurve{{1, 10}, {2, 20}} : FigureCurve{{1, 13}, {2, 19}};
  };
  const auto all = statement_claims(paper, curves), brief = statement_claims(paper, curves, true);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0].holds);
  EXPECT_EQ(all[0].ours, "3 kbit/s");
  EXPECT_TRUE(all[1].holds);
  ASSERT_EQ(brief.size(), 1u);
  EXPECT_EQ(brief[0].text, "apart");
}

PaperOptions web_options() {
  PaperOptions options;
  options.name = "001";
  options.part = "web";
  options.brief = true;
  return options;
}

TEST(PaperWeb, WhatIsRequiredHoldsInTheShortForm) {
  PaperOptions options = web_options();
  options.jobs = default_jobs();
  const Ran ran = ran_paper(options);
  ASSERT_EQ(ran.code, 0) << ran.said;
  std::size_t judged = 0;
  for (const Json& claim : ran.json["claims"]) {
    if (!claim["required"].get<bool>()) continue;
    ++judged;
    EXPECT_TRUE(claim["holds"].get<bool>()) << claim.dump();
  }
  EXPECT_GE(judged, 8u);
  for (const Json& row : ran.json["rows"]) EXPECT_EQ(row["runs"], 2) << row.dump();
}

// A scene that is not in the paper: nearer and faster users, two with pages and three with a download, means
// that forget sooner, a longer buffer.
RunFigures elsewhere(const char* scheduler) {
  const Paper& paper = web();
  const Scene scene{"elsewhere", "Elsewhere", {1, 2}, {3, 4, 5}, {}};
  const std::vector<std::pair<const char*, std::string>> settings{
      {"duration", "1500s"},
      {"cell.scheduler", scheduler + std::string("{alpha: 0.003}}")},
      {"classes.user.downlink.link.cell.snr", "4"},
      {"classes.user.downlink.link.cell.doppler", "6"},
      {"classes.user.downlink.buffer.sdus", "31"},
      {"classes.user.downlink.queue", "{sfp: {short: 15kB, reset: 1s}}"}};
  config::Overrides overrides;
  for (const auto& [key, value] : settings) overrides.push_back({"test", key, value});
  auto loaded = load_scenario(paper.scenario_text, paper.scenario, overrides);
  EXPECT_TRUE(loaded) << testing::problems_of(loaded);
  if (!loaded) return {};
  EXPECT_TRUE(keep_flows(*loaded.value, scene));
  const RunResult run = simulate(*loaded, 1);
  testing::expect_balance(run);
  return figures_of(run);
}

double downloads_of(const RunFigures& run) {
  return run.flow_goodputs[2] + run.flow_goodputs[3] + run.flow_goodputs[4];
}

TEST(PaperWeb, InAnotherSceneTheSchedulersStandInThePapersOrder) {
  const RunFigures pf = elsewhere("{pf: "), rp = elsewhere("{pf-rp: "), sp = elsewhere("{pf-sp: ");
  const auto response = [](const RunFigures& run) { return responses_up_to(run.sizes, kShortBytes).mean(); };
  ASSERT_GT(responses_up_to(pf.sizes, kShortBytes).transfers, 500u);
  EXPECT_LT(response(rp), 0.99 * response(pf));
  EXPECT_LT(response(sp), 0.97 * response(rp));
  EXPECT_GT(downloads_of(rp), 0.99 * downloads_of(pf)) << "rate priority costs downloads little";
  EXPECT_LT(downloads_of(sp), 0.99 * downloads_of(pf));
  EXPECT_GT(downloads_of(sp), 0.8 * downloads_of(pf));
  EXPECT_GT(sp.bearer_slots[0] + sp.bearer_slots[1], 1.1 * (pf.bearer_slots[0] + pf.bearer_slots[1]));
  EXPECT_EQ(sp.bearer_slots[5], 0) << "who has no flow has no slot";
}

TEST(PaperWeb, TheSameSeedGivesTheSameFiguresWhateverTheJobs) {
  PaperOptions options = web_options();
  options.seconds = 60;
  options.jobs = 1;
  const Json rows = ran_paper(options).json["rows"];
  EXPECT_EQ(rows.size(), 16u);
  options.jobs = 3;
  EXPECT_EQ(ran_paper(options).json["rows"], rows);
}

// A picture of all sizes a scene, and one of the small ones without the FIFO.
TEST(PaperWeb, ThePicturesHaveTheResponseOverTheSize) {
  const tools::ScratchFolder scratch;
  PaperOptions options = web_options();
  options.seconds = 60;
  options.runs = 1;
  options.plot = scratch.path().string();
  ASSERT_EQ(ran_paper(options).code, 0);
  for (const char* scene : {"fig12", "fig13", "fig14", "fig14b"}) {
    const std::string name = std::string("paper-001-") + scene;
    for (const std::string& picture : {name, name + "-small"}) {
      EXPECT_GT(std::filesystem::file_size(scratch.path() / (picture + ".png")), 1'000u) << picture;
    }
  }
  const std::string data = testing::content(scratch.path() / "paper-001-fig12.csv");
  EXPECT_TRUE(data.starts_with("line,x,response_s,response_ci90\n\"FIFO+PF\",3.5,")) << data;
  const std::string small = testing::content(scratch.path() / "paper-001-fig12-small.csv");
  EXPECT_EQ(small.find("FIFO"), std::string::npos);
  EXPECT_EQ(small.find(",30,"), std::string::npos) << "up to 20 kB";
}

}  // namespace
}  // namespace lab
