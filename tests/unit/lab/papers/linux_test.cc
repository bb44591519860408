// The profile low-delay beside Linux's qdiscs: its goals over some seeds, and that it is the profile that
// runs.
#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "config/class_profiles.h"
#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/common/process.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/papers/linux_report.h"

namespace lab {
namespace {

using testing::Ran;
using testing::ran_paper;

const Paper& linux_paper() { return **find_paper("linux"); }

Ran run_linux_rows(std::vector<std::string> rows, unsigned runs, std::vector<std::string> set = {}) {
  PaperOptions options;
  options.name = "linux";
  options.rows = std::move(rows);
  options.runs = runs;
  options.jobs = default_jobs();
  options.set = std::move(set);
  return ran_paper(std::move(options));
}

double goodput(const Json& row) { return row["whole_run"]["goodput_1460_kbit_s"]["mean"]; }
double queue(const Json& row) { return row["wait_s"]["mean"]; }

TEST(LowDelay, HasItsGoalsWithOneFlowWhateverTheTcp) {
  const Ran ran = run_linux_rows({"reno/1", "sack/1", "cubic/1"}, 5);
  ASSERT_EQ(ran.code, 0) << ran.said;
  ASSERT_EQ(ran.json["rows"].size(), 3u);
  for (const Json& row : ran.json["rows"]) {
    EXPECT_GE(goodput(row), 355) << row["id"];
    EXPECT_LE(queue(row), 0.060) << row["id"];
    EXPECT_EQ(row["drops"]["aqm"]["mean"], 0.0) << row["id"] << ": no loss is needed";
    EXPECT_EQ(row["timeouts"]["mean"], 0.0) << row["id"];
  }
  ASSERT_EQ(ran.json["verdicts"].size(), 3u);
  for (const Json& rule : ran.json["verdicts"]) EXPECT_TRUE(rule["holds"].get<bool>()) << rule.dump();
}

TEST(LowDelay, IsAheadOfFqCodelAndCakeInBothFiguresWithFourFlows) {
  const Ran ran = run_linux_rows({"reno/4", "sack/4", "cubic/4"}, 5);
  ASSERT_EQ(ran.code, 0) << ran.said;
  ASSERT_EQ(ran.json["verdicts"].size(), 12u);
  for (const Json& rule : ran.json["verdicts"]) EXPECT_TRUE(rule["holds"].get<bool>()) << rule.dump();
  for (const Json& row : ran.json["rows"]) EXPECT_GT(row["jain"]["mean"].get<double>(), 0.99) << row["id"];
}

TEST(LowDelay, OfTheLabIsTheProfileOfTheConfiguration) {
  const std::string& text = linux_paper().scenario_text;
  const auto scenario = load_scenario(text, "linux.yaml");
  ASSERT_TRUE(scenario) << testing::problems_of(scenario);
  const config::ClassProfile* profile = config::find_class_profile("low-delay");
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(scenario->classes.at(0).profile, "low-delay");
  EXPECT_EQ(scenario->classes.at(0).uplink.ack, profile->uplink.ack);
  EXPECT_EQ(scenario->classes.at(0).downlink.origin, profile->downlink.origin);
  EXPECT_EQ(text.find("window-regulator:"), std::string::npos) << "a copy of its settings";
}

TEST(LowDelay, RowsChangeOnlyWhatTheyName) {
  for (const PaperRow& row : linux_paper().rows) {
    const std::string& text = linux_paper().scenario_text;
    const auto scenario = load_scenario(text, "linux.yaml", row.overrides);
    ASSERT_TRUE(scenario) << testing::problems_of(scenario);
    EXPECT_EQ(scenario->flows.at(0).count, row.flows()) << row.id;
    EXPECT_EQ(scenario->flows.at(0).tcp.sack, row.value("sack") == "yes") << row.id;
    EXPECT_EQ(scenario->classes.at(0).profile, !row.like.empty() ? "" : "low-delay") << row.id;
    EXPECT_EQ(scenario->classes.at(0).uplink.ack.stages, !row.like.empty() ? 0u : 1u) << row.id;
  }
}

TEST(LinuxRows, TheLabsTcpComesNearTheKernelsUnderCodel) {
  const Ran ran = run_linux_rows({"codel/1", "drop-tail/1"}, 3);
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_NEAR(queue(ran.json["rows"][0]), 0.031, 0.031 * 0.15);
  EXPECT_NEAR(goodput(ran.json["rows"][0]), 316, 316 * 0.04);
  EXPECT_NEAR(queue(ran.json["rows"][1]), 1.118, 1.118 * 0.04);
  EXPECT_NEAR(goodput(ran.json["rows"][1]), 361, 361 * 0.03);
  EXPECT_TRUE(ran.json["verdicts"].empty()) << "told, not judged";
}

// Judged by each flow's own queue a packet of each flow may always wait: 120 ms instead of 50.
TEST(LinuxRows, FqCodelDropsWhileOthersWaitAsTheKernelsDoes) {
  const Ran ran = run_linux_rows({"fq-codel/4"}, 3);
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_LT(queue(ran.json["rows"][0]), 0.075);
  EXPECT_GT(goodput(ran.json["rows"][0]), 0.95 * 343);
}

TEST(LinuxRows, TheUsersKeysWinOverTheRows) {
  const Ran ran = run_linux_rows({"reno/1"}, 1, {"duration=12s", "classes.bearer.profile=none"});
  ASSERT_EQ(ran.code, 0) << ran.said;
  EXPECT_EQ(ran.json["duration_s"], 12.0);
  EXPECT_FALSE(ran.json["verdicts"][0]["holds"].get<bool>()) << "a buffer without the stage fills";
}

TEST(LinuxRows, UnknownOnesAreRefusedWithThoseThereAre) {
  const Ran ran = run_linux_rows({"reno/2"}, 1);
  EXPECT_EQ(ran.code, kUsage);
  EXPECT_NE(ran.said.find("found 'reno/2', expected a row of paper linux (reno/1, "), std::string::npos)
      << ran.said;
}

TEST(LinuxRows, HaveNoPartAndSaySo) {
  PaperOptions part, length, brief;
  part.part = "window";
  length.seconds = 100;
  brief.brief = true;
  for (PaperOptions& options : std::array{std::ref(part), std::ref(length), std::ref(brief)}) {
    options.name = "linux";
    const Ran ran = ran_paper(options);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.said.find("leave it out"), std::string::npos) << ran.said;
  }
}

TEST(Qdiscs, AddUpToTheMeasuredFigures) {
  double goodput = 0, queue = 0;
  for (const Qdisc& q : linux_paper().qdiscs) {
    goodput += q.goodput_kbit_s;
    queue += q.queue_s;
  }
  EXPECT_EQ(linux_paper().qdiscs.size(), 8u);
  EXPECT_NEAR(goodput, 319 + 316 + 319 + 286 + 336 + 361 + 343 + 342, 1e-9);
  EXPECT_NEAR(queue, (32 + 31 + 71 + 51 + 134 + 1118 + 50 + 91) / 1e3, 1e-9);
}

void add_figures(Results& results, const PaperRow& row, double goodput, double wait) {
  RunFigures run;
  run.goodput_1460 = goodput;
  run.wait = wait;
  const RowSummary summary(std::span(&run, 1));
  results.emplace(whole_id(row), summary);
  results.emplace(late_id(row), summary);
}

std::vector<Claim> rules_of(const std::string& id, double goodput, double wait) {
  Results results;
  add_figures(results, *select_rows(linux_paper(), std::span(&id, 1))->front(), goodput, wait);
  return linux_rules(linux_paper(), results);
}

// Every row with the same figures.
Outcome outcome_of_all() {
  Outcome outcome;
  for (const PaperRow& row : linux_paper().rows) add_figures(outcome.results, row, 360, 0.050);
  outcome.setting.duration_s = 60;
  return outcome;
}

Experiment all_rows() { return linux_experiment(linux_paper(), *select_rows(linux_paper(), {})); }

TEST(LinuxRules, AsManyAsTheRowsThatRanAndNoAxisIsForgotten) {
  const auto one = rules_of("reno/1", 355, 0.060);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(one[0].holds);
  EXPECT_FALSE(rules_of("reno/1", 354.9, 0.060)[0].holds);
  EXPECT_FALSE(rules_of("reno/1", 355, 0.0601)[0].holds);
  const auto four = rules_of("reno/4", 345, 0.070);
  ASSERT_EQ(four.size(), 4u);
  EXPECT_TRUE(four[0].holds) << "ahead of fq_codel in goodput";
  EXPECT_FALSE(four[1].holds) << "behind it in delay";
  EXPECT_EQ(four[1].need, Need::told);
  EXPECT_TRUE(four[3].holds) << "ahead of cake in both";
  EXPECT_FALSE(rules_of("reno/4", 341, 0.092)[0].holds);
}

TEST(LinuxReport, HasOursAndTheQdiscsTheGoalsAndTheSetUp) {
  const Outcome outcome = outcome_of_all();
  const std::string text = report_text(all_rows(), outcome);
  for (const char* part : {"qdisc pfifo 50", "qdisc cake", "360.0", "THE LAB'S OWN", "HTB at 384 kbit/s",
                           ">= 355 kbit/s, <= 60 ms", "ahead of fq_codel in both"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(report_json(all_rows(), outcome)["qdiscs"]["rows"].size(), linux_paper().qdiscs.size());
  EXPECT_NE(linux_list_text(linux_paper()).find("cubic/4"), std::string::npos);
}

TEST(LinuxJson, HasTheDocumentedMembers) {
  const Json json = report_json(all_rows(), outcome_of_all());
  for (const char* member : {"set", "qdiscs", "verdicts", "rows", "partial"})
    EXPECT_TRUE(json.contains(member));
  EXPECT_EQ(json["rows"][0]["whole_run"]["goodput_1460_kbit_s"]["mean"], 360.0);
  EXPECT_FALSE(json["rows"][0].contains("like"));
  EXPECT_EQ(json["rows"][6]["like"], "codel");
  EXPECT_EQ(json["qdiscs"]["rows"][0]["wait_s"], 0.032);
}

TEST(LinuxReport, LeavesAPicture) {
  const tools::ScratchFolder scratch;
  all_rows().draw(scratch.path(), outcome_of_all());
  EXPECT_TRUE(std::filesystem::exists(scratch.path() / "paper-linux.png"));
}

}  // namespace
}  // namespace lab
