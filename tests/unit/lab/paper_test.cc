// The papers' rows, simulated: what the scenarios are for. With the papers' own number of runs, from the
// seed that seed_test.cc finds by its channel.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "tools/common/process.h"
#include "tools/lab/cmd_paper.h"
#include "tools/lab/json.h"
#include "tools/lab/pool.h"

namespace lab {
namespace {

Json simulate_paper(PaperOptions options) {
  const tools::ScratchFolder scratch;
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

Json simulate_paper(const std::string& name) {
  PaperOptions options;
  options.name = name;
  options.jobs = default_jobs();
  return simulate_paper(options);
}

void expect_required(const Json& claims) {
  for (const Json& claim : claims) {
    EXPECT_TRUE(claim["holds"].get<bool>() || !claim["required"].get<bool>()) << claim.dump();
  }
}

// Of all rows with a printed value.
struct Errors {
  std::size_t rows = 0, near = 0;
  double goodput = 0, delay = 0;

  void add(const Json& paper) {
    for (const Json& row : paper["rows"]) {
      if (!row.contains("paper")) continue;
      for (const char* figure : {"goodput_kbit_s", "delay_s"}) {
        EXPECT_TRUE(row["inside"][figure].get<bool>())
            << row["id"] << " " << figure << ", ratio " << row["ratio"][figure];
      }
      const double of_delay = std::abs(row["ratio"]["delay_s"].get<double>() - 1);
      ++rows;
      near += of_delay <= 0.15;
      goodput += std::abs(row["ratio"]["goodput_kbit_s"].get<double>() - 1);
      delay += of_delay;
    }
  }
};

TEST(Papers, EveryRowIsInsideItsLimitsAndTheRulesHoldOverAllOfThem) {
  const Json first = simulate_paper("000"), second = simulate_paper("002");
  Errors errors;
  errors.add(first);
  errors.add(second);
  ASSERT_EQ(errors.rows, 28u);
  EXPECT_LE(errors.goodput / 28, 0.03);
  EXPECT_LE(errors.delay / 28, 0.07);
  EXPECT_GE(errors.near * 10, errors.rows * 9);
  expect_required(first["claims"]);
  expect_required(second["claims"]);
  expect_required(second["verdicts"]);
}

TEST(Papers, EveryClaimHasItsRows) {
  for (const auto& [name, claims] : {std::pair("000", 8u), std::pair("002", 22u)}) {
    PaperOptions options;
    options.name = name;
    options.runs = 1;
    options.set = {"duration=5s"};
    EXPECT_EQ(simulate_paper(options)["claims"].size(), claims);
  }
}

TEST(Papers, TheSameSeedGivesTheSameFiguresWhateverTheJobs) {
  const auto rows = [](unsigned jobs) {
    PaperOptions options;
    options.name = "000";
    options.rows = {"A6", "A8"};
    options.runs = 3;
    options.seed = 5;
    options.jobs = jobs;
    return simulate_paper(options)["rows"];
  };
  EXPECT_EQ(rows(1), rows(3));
}

}  // namespace
}  // namespace lab
