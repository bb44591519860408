// The bench of paper 004: its networks under every scheme, what is read of a bearer that flows share, and its
// claims in the short form.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/papers/experiment.h"
#include "tools/lab/papers/figure_points.h"
#include "tools/lab/papers/figures_report.h"

namespace lab {
namespace {

using testing::Ran;
using testing::ran_paper;

const Paper& fda() { return **find_paper("004"); }

Scenario scenario_of(const Paper& paper, const FigurePoint& p, const config::Overrides& more = {}) {
  config::Overrides overrides = overrides_of(paper, p);
  overrides.insert(overrides.end(), more.begin(), more.end());
  auto loaded = load_scenario(paper.scenario_text, paper.scenario, overrides);
  EXPECT_TRUE(loaded) << testing::problems_of(loaded);
  if (!loaded) return {};
  EXPECT_TRUE(keep_flows(*loaded.value, paper, p));
  return *loaded;
}

// One way from the server to the base station, ms.
std::vector<double> delays_of(const Scenario& s) {
  std::vector<double> out;
  for (const Flow& flow : s.flows) out.push_back(seconds(s.wires[s.servers[flow.server].wire].delay) * 1e3);
  std::ranges::sort(out);
  return out;
}

const Wire& wire_named(const Scenario& s, std::string_view name) {
  return *std::ranges::find(s.wires, name, &Wire::name);
}

TEST(PaperFda, HasItsNetworksAtBothRatesUnderEveryScheme) {
  const Paper& paper = fda();
  const auto points = figure_points(paper, false);
  EXPECT_EQ(points.size(), 4u * 7 * 6);
  for (const FigurePoint& p : points) {
    const bool fast = paper.figures[p.figure].name == "2M";
    SCOPED_TRACE(paper.figures[p.figure].name + " " + std::string(p.line));
    const Scenario s = scenario_of(paper, p);
    ASSERT_EQ(s.flows.size(), p.users);
    EXPECT_EQ(delays_of(s),
              p.users == 5 ? (std::vector<double>{10, 20, 40, 80, 160}) : (std::vector<double>{10, 80}));
    const double rate = fast ? 2e6 : 76'800;
    EXPECT_EQ(s.classes[0].downlink.rate, rate);
    EXPECT_EQ(s.classes[0].downlink.buffer.sdus, 128u);
    EXPECT_EQ(s.duration, std::chrono::seconds(fast ? 3600 : 36'000));
    EXPECT_EQ(wire_named(s, "down").loss, p.x);
    EXPECT_EQ(wire_named(s, "up").loss, 0) << "ACKs are not lost";
    // Table 1: there and back in 50 or 1500 ms with 512 and 40 bytes sent.
    const double round_trip =
        seconds(wire_named(s, "down").delay) + seconds(wire_named(s, "up").delay) + 552 * 8 / rate;
    EXPECT_NEAR(round_trip, fast ? 0.05 : 1.5, 1e-5);
    for (const Flow& flow : s.flows) {
      EXPECT_EQ(flow.tcp.mss + 40, 512);
      EXPECT_EQ(flow.sink.window, 128u * flow.tcp.mss);
      EXPECT_EQ(flow.tcp.initial_ssthresh, 64u * flow.tcp.mss);
    }
  }
}

// Its flows share one bearer: its rate and its places count once.
TEST(PaperFda, ThroughputAndBufferUseAreOfTheSharedBearer) {
  const Paper& paper = fda();
  const FigurePoint p{figure_named(paper, "2M"), 5, "Reno", 0.01};
  const Scenario s = scenario_of(paper, p, {{"test", "duration", "60s"}, {"test", "wires.down.loss", "0%"}});
  const RunFigures full = run_point(s, paper, p, 1);
  EXPECT_GT(full.throughput, 0.9);
  EXPECT_LT(full.throughput, 1);
  EXPECT_DOUBLE_EQ(full.throughput, full.goodput / 2000);
  EXPECT_GT(full.bo, 20);
  EXPECT_DOUBLE_EQ(full.buffer_use, full.bo / 128);
  EXPECT_GT(full.utilisation, 0.95) << "of the one bearer";
}

PaperOptions fda_options() {
  PaperOptions options;
  options.name = "004";
  options.brief = true;
  options.jobs = default_jobs();
  return options;
}

// The short form with a third of its time.
TEST(PaperFda, WhatIsRequiredHoldsInTheShortForm) {
  const Paper& paper = fda();
  const Experiment experiment = figures_experiment(paper, true, std::nullopt);
  const auto points = figure_points(paper, true);
  ASSERT_EQ(points.size(), experiment.points.size());
  std::vector<Scenario> scenarios;
  for (const FigurePoint& p : points) {
    scenarios.push_back(scenario_of(paper, p));
    scenarios.back().duration = paper.figures[p.figure].short_form / 3;
  }
  RunSetting setting;
  setting.runs = 1;
  setting.seed = 1;
  const std::atomic<bool> stop = false;
  Outcome outcome;
  outcome.results = simulate_points(experiment, scenarios, setting, default_jobs(), stop);
  Json document = Json::object({{"rows", Json::array()}});
  experiment.add_json(outcome, document);
  std::size_t judged = 0;
  for (const Json& claim : document["claims"]) {
    if (!claim["required"].get<bool>()) continue;
    ++judged;
    EXPECT_TRUE(claim["holds"].get<bool>()) << claim.dump();
  }
  EXPECT_GE(judged, 40u);
  for (const auto& [id, row] : outcome.results) EXPECT_EQ(row.residue(), 0) << id;
}

TEST(PaperFda, WrongUsageSaysWhatIsRight) {
  PaperOptions options;
  options.name = "004";
  options.part = "fast";
  EXPECT_EQ(ran_paper(options).said, "rnclab: --part: found 'fast', expected today, or none for paper 004\n");
  options.part = "";
  options.rows = {"A1"};
  EXPECT_EQ(ran_paper(options).said,
            "rnclab: --row: found it with paper 004, which has figures; leave it out\n");
}

TEST(PaperFda, ThePicturesAreThoseOfThePaper) {
  const tools::ScratchFolder scratch;
  PaperOptions options = fda_options();
  options.seconds = 40;
  options.plot = scratch.path().string();
  ASSERT_EQ(ran_paper(options).code, 0);
  for (const char* picture : {"fig5a", "fig5b", "fig5c", "fig6a", "fig6b", "fig6c", "fig7a", "fig7b", "fig7c",
                              "fig8a", "fig8b", "fig8c"}) {
    const std::string name = std::string("paper-004-") + picture;
    EXPECT_GT(std::filesystem::file_size(scratch.path() / (name + ".png")), 1'000u) << picture;
  }
  const std::string data = testing::content(scratch.path() / "paper-004-fig5c.csv");
  EXPECT_TRUE(data.starts_with("line,x,buffer_use,buffer_use_ci90\n")) << data;
}

}  // namespace
}  // namespace lab
