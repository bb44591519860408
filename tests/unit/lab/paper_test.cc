// The papers' drop-tail rows, simulated: what the scenarios are for. Enough runs that chance is small; what
// of it is left, a row's own interval, is allowed for.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "tools/common/process.h"
#include "tools/lab/cmd_paper.h"
#include "tools/lab/json.h"
#include "tools/lab/pool.h"

namespace lab {
namespace {

Json simulate_paper(const std::string& name, unsigned runs) {
  const tools::ScratchFolder scratch;
  PaperOptions options;
  options.name = name;
  options.runs = runs;
  options.jobs = default_jobs();
  options.json = (scratch.path() / "paper.json").string();
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = run_paper(options, "test");
  testing::internal::GetCapturedStdout();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, 0) << said;
  std::ifstream file(options.json);
  return Json::parse(file);
}

void expect_rows_near(const Json& paper) {
  for (const Json& row : paper["rows"]) {
    for (const char* figure : {"goodput_kbit_s", "delay_s"}) {
      const double error = std::abs(row["ratio"][figure].get<double>() - 1);
      const double chance = row[figure]["ci90"].get<double>() / row["paper"][figure]["mean"].get<double>();
      EXPECT_LE(error, row["limit"][figure].get<double>() + chance) << row["id"] << " " << figure;
    }
  }
  for (const Json& claim : paper["claims"]) EXPECT_TRUE(claim["holds"].get<bool>()) << claim.dump();
}

double mean_error(const Json& paper, const char* figure) {
  double sum = 0;
  for (const Json& row : paper["rows"]) sum += std::abs(row["ratio"][figure].get<double>() - 1);
  return sum / static_cast<double>(paper["rows"].size());
}

TEST(Papers, DropTailRowsOf000AreNear) {
  const Json paper = simulate_paper("000", 60);
  ASSERT_EQ(paper["rows"].size(), 2u);
  expect_rows_near(paper);
}

TEST(Papers, DropTailRowsOf002AreNear) {
  const Json paper = simulate_paper("002", 60);
  ASSERT_EQ(paper["rows"].size(), 8u);
  expect_rows_near(paper);
  EXPECT_LE(mean_error(paper, "goodput_kbit_s"), 0.03);
  EXPECT_LE(mean_error(paper, "delay_s"), 0.07);
}

TEST(Papers, TheSameSeedGivesTheSameFiguresWhateverTheJobs) {
  const auto rows = [](unsigned jobs) {
    const tools::ScratchFolder scratch;
    PaperOptions options;
    options.name = "000";
    options.rows = {"A6"};
    options.runs = 3;
    options.seed = 5;
    options.jobs = jobs;
    options.json = (scratch.path() / "paper.json").string();
    testing::internal::CaptureStdout();
    run_paper(options, "test");
    testing::internal::GetCapturedStdout();
    std::ifstream file(options.json);
    return Json::parse(file)["rows"];
  };
  EXPECT_EQ(rows(1), rows(3));
}

}  // namespace
}  // namespace lab
