// The table of paths on which low-delay is held against AQMs: what is in it, what a path makes of the
// scenario, what is judged and how, and the command.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "config/class_profiles.h"
#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/figures/embedded.h"
#include "tools/lab/papers/paths_report.h"

namespace lab {
namespace {

using testing::Ran;
using testing::ran_paper;

using Names = std::vector<std::string>;

std::vector<Path> table() { return *select_paths({}); }

Scenario scenario_of(const Path& path, const Scheme& scheme) {
  const std::string name(kPathScenario);
  const auto loaded = load_scenario(embedded_file(name), name, overrides_of(path, scheme));
  EXPECT_TRUE(loaded) << path.name << " " << scheme.name << "\n" << testing::problems_of(loaded);
  Scenario scenario = loaded.value.value_or(Scenario{});
  begin_at_half(scenario);
  return scenario;
}

TEST(PathTable, FollowsTheRuleThatItStates) {
  const std::vector<Path> all = table();
  ASSERT_EQ(all.size(), 25u);
  constexpr std::uint64_t kRates[] = {384'000, 1'000'000, 5'000'000, 20'000'000};
  constexpr std::uint32_t kFlows[] = {1, 4, 10};
  constexpr int kRoundTrips[] = {30, 100, 250, 600};
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(all[k].rate, kRates[k / 3]) << all[k].name;
    EXPECT_EQ(all[k].flows, kFlows[k % 3]) << all[k].name;
    EXPECT_EQ(all[k].round_trip, std::chrono::milliseconds(kRoundTrips[k % 4])) << all[k].name;
    EXPECT_EQ(all[k].congestion, k % 2 == 0 ? "sack" : "cubic") << all[k].name;
    EXPECT_FALSE(all[k].file || all[k].then) << all[k].name;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].held_out, i >= 17) << all[i].name;
    EXPECT_TRUE(names.insert(all[i].name).second) << all[i].name;
  }
}

TEST(PathTable, NothingHeldOutIsAmongThoseThatConstantsWereChosenOn) {
  std::set<std::pair<std::uint64_t, std::int64_t>> seen;
  for (const Path& path : table()) {
    if (!path.held_out) seen.insert({path.rate, path.round_trip.count()});
  }
  for (const Path& path : table()) {
    if (!path.held_out) continue;
    EXPECT_FALSE(seen.contains({path.rate, path.round_trip.count()})) << path.name;
  }
}

TEST(PathTable, ProblemsHaveLineAndReason) {
  const auto loaded = load_paths("version: 1\npaths:\n  a: {rate: 1M, flows: 0}\n", "t.yaml");
  ASSERT_FALSE(loaded);
  std::string said;
  for (const auto& problem : loaded.problems) said += to_string(problem) + "\n";
  EXPECT_NE(said.find("t.yaml:3"), std::string::npos) << said;
  EXPECT_NE(said.find("paths.a.flows"), std::string::npos) << said;
  EXPECT_NE(said.find("round_trip"), std::string::npos) << said;
}

TEST(SelectPaths, ByNameInTheOrderOfTheTable) {
  const auto some = select_paths(Names{"2M-50ms-6", "384k-30ms-1"});
  ASSERT_TRUE(some);
  ASSERT_EQ(some->size(), 2u);
  EXPECT_EQ((*some)[0].name, "384k-30ms-1");
}

TEST(SelectPaths, OfAnUnknownNameNamesTheNearest) {
  const auto none = select_paths(Names{"384k-30ms-2"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().exit_code, 2);
  EXPECT_NE(none.error().message.find("did you mean `384k-30ms-1`?"), std::string::npos)
      << none.error().message;
}

TEST(Schemes, AreLowDelayTheLabsAqmsAndDropTailWithShortAndLongBuffers) {
  Names names;
  for (const Scheme& scheme : schemes({})) names.push_back(scheme.name);
  EXPECT_EQ(names, (Names{"low-delay", "codel", "fq-codel", "pie", "red", "sbd", "drop-tail 1 BDP",
                          "drop-tail 10 BDP"}));
  const std::string also[] = {"target: 5ms, segments: 4"};
  EXPECT_EQ(schemes(also)[1].name, "low-delay target: 5ms, segments: 4");
  EXPECT_TRUE(schemes(also)[1].low_delay);
}

TEST(Schemes, HaveBuffersInProductsOfRateAndRoundTrip) {
  Path path;
  path.rate = 12'000'000;  // 1000 packets a second
  path.round_trip = std::chrono::milliseconds(100);
  const auto all = schemes({});
  EXPECT_EQ(buffer_of(path, all[6]), 100u);
  EXPECT_EQ(buffer_of(path, all[7]), 1000u);
  path.rate = 120'000;
  EXPECT_EQ(buffer_of(path, all[6]), 2u) << "two packets at least";
  EXPECT_EQ(buffer_of(path, all[1]), 1000u) << "no AQM overflows";
}

TEST(Paths, MakeTheScenarioTheirs) {
  const auto all = schemes({});
  for (const Path& path : table()) {
    for (const Scheme& scheme : all) {
      const Scenario s = scenario_of(path, scheme);
      ASSERT_EQ(s.flows.size(), 1u);
      EXPECT_EQ(s.flows[0].count, path.flows);
      EXPECT_EQ(s.classes[0].downlink.rate, path.rate);
      EXPECT_EQ(2 * (s.wires[0].delay + s.wires[1].delay), path.round_trip) << path.name;
      ASSERT_EQ(s.changes.size(), path.then ? 1u : 0u);
      if (path.then) {
        EXPECT_EQ(s.changes[0].at, s.duration / 2);
      }
      EXPECT_EQ(s.classes[0].uplink.ack.stages, scheme.low_delay ? 1u : 0u);
    }
  }
}

TEST(Paths, LowDelayIsTheProfileAndOthersHaveNothingOfIt) {
  const Scenario s = scenario_of(table()[0], schemes({})[0]);
  EXPECT_EQ(s.classes[0].profile, "low-delay");
  EXPECT_EQ(s.classes[0].uplink.ack, config::find_class_profile("low-delay")->uplink.ack);
  EXPECT_EQ(scenario_of(table()[0], schemes({})[1]).classes[0].profile, "");
  const std::string also[] = {"target: 5ms, segments: 4"};
  const Scenario other = scenario_of(table()[0], schemes(also)[1]);
  const auto& stage = std::get<dp::WindowRegulatorSpec::Config>(other.classes[0].uplink.ack.stage[0]);
  EXPECT_EQ(stage.target, std::chrono::milliseconds(5));
  EXPECT_EQ(stage.segments, 4u);
}

RowSummary row(double goodput, double wait, double timeouts = 0, double transfer = NAN) {
  RunFigures run;
  run.goodput_1460 = goodput;
  run.wait = wait;
  run.timeouts = timeouts;
  run.transfer = transfer;
  return RowSummary(std::span(&run, 1));
}

// A path of one flow at 1 Mbit/s and 100 ms, with low-delay, codel, pie and both drop-tails.
struct JudgedPath {
  std::vector<Path> paths = {[] {
    Path p;
    p.name = "p";
    p.rate = 1'000'000;
    p.round_trip = std::chrono::milliseconds(100);
    return p;
  }()};
  std::vector<Scheme> all = schemes({});
  PathResults results{{{0, 0}, row(970, 0.020)},
                      {{0, 1}, row(960, 0.005)},
                      {{0, 3}, row(990, 0.025)},
                      {{0, 6}, row(980, 0.030)},
                      {{0, 7}, row(1000, 0.500)}};

  PathVerdict verdict() const {
    const auto verdicts = path_verdicts(paths, all, results);
    EXPECT_EQ(verdicts.size(), 1u);
    return verdicts.empty() ? PathVerdict{} : verdicts[0];
  }
};

TEST(PathVerdicts, TheBestIsTheShortestQueueOfThoseThatCarryEnough) {
  const JudgedPath judged;
  const PathVerdict v = judged.verdict();
  ASSERT_TRUE(v.best);
  EXPECT_EQ(judged.all[*v.best].name, "pie") << "codel carries too little";
  EXPECT_TRUE(v.holds);
  EXPECT_EQ(v.why, "");
}

TEST(PathVerdicts, ALongerQueueThanTheBestFailsAndSaysWhy) {
  JudgedPath judged;
  judged.results[{0, 0}] = row(1000, 0.0251);
  EXPECT_FALSE(judged.verdict().holds);
  EXPECT_NE(judged.verdict().why.find("`pie`"), std::string::npos) << judged.verdict().why;
}

TEST(PathVerdicts, LessGoodputFailsHoweverShortTheQueue) {
  JudgedPath judged;
  judged.results[{0, 0}] = row(969, 0.001);
  EXPECT_FALSE(judged.verdict().holds);
  EXPECT_FALSE(judged.verdict().why.empty());
  judged.results[{0, 0}] = row(969, 0.001, 3);
  EXPECT_NE(judged.verdict().why.find("3 timeouts a run"), std::string::npos) << judged.verdict().why;
}

TEST(PathVerdicts, WhereNobodyElseCarriesEnoughTheQueueIsNotJudged) {
  JudgedPath judged;
  for (const std::size_t s : {std::size_t{3}, std::size_t{6}}) judged.results[{0, s}] = row(900, 0.001);
  EXPECT_FALSE(judged.verdict().best);
  EXPECT_TRUE(judged.verdict().holds);
}

TEST(PathVerdicts, TheTablesOwnReasonGoesFirst) {
  JudgedPath judged;
  judged.paths[0].why = "because";
  judged.results[{0, 0}] = row(900, 0.020);
  EXPECT_EQ(judged.verdict().why, "because");
}

TEST(PathVerdicts, OfFilesTheTimeThatOneTakesIsWhatCounts) {
  JudgedPath judged;
  judged.paths[0].file = 50'000;
  judged.results = {{{0, 0}, row(10, 0.020, 0, 1.0)}, {{0, 7}, row(5, 0.5, 0, 0.98)}};
  EXPECT_NEAR(judged.verdict().ours.goodput, 400, 1e-9);
  EXPECT_NEAR(judged.verdict().ours.share, 0.98, 1e-9);
}

TEST(PathVerdicts, WithoutDropTailThereAreNone) {
  JudgedPath judged;
  judged.results.erase({0, 7});
  EXPECT_TRUE(path_verdicts(judged.paths, judged.all, judged.results).empty());
}

Ran run(PaperOptions options) {
  options.name = options.name.empty() ? "linux" : options.name;
  options.paths = true;
  options.jobs = default_jobs();
  return ran_paper(std::move(options));
}

TEST(PathsCommand, ShortRunsARowForEachSchemeOnceAndJudges) {
  PaperOptions options;
  options.rows = {"1M-600ms-1", "2M-50ms-6"};
  options.brief = true;
  options.also = {"target: 5ms, segments: 4"};
  const Ran ran = run(options);
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_EQ(ran.json["duration_s"], 20.0);
  EXPECT_EQ(ran.json["runs"], 1);
  ASSERT_EQ(ran.json["rows"].size(), 2u * 9u);
  EXPECT_EQ(ran.json["rows"][0]["path"], "1M-600ms-1");
  EXPECT_EQ(ran.json["rows"][0]["scheme"], "low-delay");
  ASSERT_EQ(ran.json["paths"].size(), 4u);
  const Json& verdict = ran.json["paths"][0];
  for (const char* member : {"path", "held_out", "scheme", "ours", "best", "holds", "why"}) {
    EXPECT_TRUE(verdict.contains(member)) << member;
  }
  EXPECT_TRUE(ran.json["paths"][2]["held_out"].get<bool>());
  for (const char* part : {"PATH", "HELD OUT", "drop-tail 10 BDP", "of 1 paths hold"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
  }
}

TEST(PathsCommand, ListsWithoutRunning) {
  PaperOptions options;
  options.list = true;
  const Ran ran = run(options);
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("5M-to-1M-100ms-4"), std::string::npos) << ran.out;
}

TEST(PathsCommand, RefusesWhatDoesNotGoWithIt) {
  PaperOptions options;
  options.name = "000";
  EXPECT_NE(run(options).said.find("expected linux"), std::string::npos);
  options = {};
  options.part = "window";
  EXPECT_EQ(run(options).code, kUsage);
  options = {};
  options.plot = "x";
  EXPECT_NE(run(options).said.find("--plot"), std::string::npos);
  options = {};
  options.also = {"target: nonsense"};
  EXPECT_EQ(run(options).code, kConfiguration);
  options = {};
  options.name = "linux";
  options.also = {"target: 5ms"};
  const Ran without = ran_paper(options);
  EXPECT_EQ(without.code, kUsage);
  EXPECT_NE(without.said.find("add --paths"), std::string::npos) << without.said;
}

}  // namespace
}  // namespace lab
