// One seed gives the same bytes each time: each command's JSON and its tables, twice. Figures of the clock on
// the wall go to standard error.
#include <fstream>

#include "tests/unit/lab/papers/command.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/batch/pool.h"
#include "tools/lab/cmd_run.h"
#include "tools/lab/cmd_sweep.h"
#include "tools/lab/cmd_trace.h"

namespace lab {
namespace {

struct Said {
  std::string out, json;
};

class SameBytes : public ::testing::Test {
 protected:
  SameBytes() { std::ofstream(path("s.yaml")) << testing::kShaped; }

  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }

  template <class Options, class Run>
  Said said(Options options, Run&& run) {
    options.json = path("out.json");
    options.set = {"duration=3s"};
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(options, "test"), 0);
    ::testing::internal::GetCapturedStderr();
    return {::testing::internal::GetCapturedStdout(), testing::content(options.json)};
  }
  template <class Options, class Run>
  void expect_same(const Options& options, Run&& run) {
    const Said first = said(options, run), second = said(options, run);
    EXPECT_GT(first.json.size(), 100u);
    EXPECT_EQ(first.json, second.json);
    EXPECT_EQ(first.out, second.out);
  }

  tools::ScratchFolder scratch_;
};

TEST_F(SameBytes, OfARun) {
  RunOptions options;
  options.file = path("s.yaml");
  options.jobs = 2;
  expect_same(options, run_run);
}

TEST_F(SameBytes, OfATrace) {
  TraceOptions options;
  options.file = path("s.yaml");
  expect_same(options, run_trace);
}

TEST_F(SameBytes, OfASweepAndOfThePointsThatItKeeps) {
  std::ofstream(path("grid.yaml")) << "{version: 1, scenario: s.yaml, grid: {duration: [1s]}, runs: 2}";
  SweepOptions options;
  options.file = path("grid.yaml");
  std::vector<Said> all;
  std::vector<std::string> kept;
  for (const char* folder : {"one", "two"}) {
    options.out = path(folder);
    all.push_back(said(options, run_sweep));
    kept.push_back(testing::content(path(folder) + "/points.jsonl"));
  }
  EXPECT_EQ(all[0].json, all[1].json);
  EXPECT_GT(kept[0].size(), 100u);
  EXPECT_EQ(kept[0], kept[1]);
}

TEST_F(SameBytes, OfAPapersRows) {
  PaperOptions options;
  options.name = "002";
  options.rows = {"B5/384"};
  options.runs = 2;
  expect_same(options, run_paper);
}

TEST_F(SameBytes, OfPointsAndOfScenes) {
  PaperOptions options;
  options.jobs = default_jobs();
  options.brief = true;
  for (const auto& [name, part] : {std::pair{"003", "air"}, std::pair{"001", "web"}}) {
    options.name = name;
    options.part = part;
    const auto run = [](PaperOptions o, const char* version) {
      o.set.push_back("measure_from=0s");
      return run_paper(o, version) == kUsage ? 1 : 0;  // so short a run breaks claims that bind
    };
    expect_same(options, run);
  }
}

TEST_F(SameBytes, OfTheQdiscsRowsAndOfPaths) {
  PaperOptions options;
  options.name = "linux";
  options.runs = 1;
  options.rows = {"reno/1"};
  const auto run = [](PaperOptions o, const char* version) {
    o.set = {"duration=12s"};
    return run_paper(o, version);
  };
  expect_same(options, run);
  options.paths = true;
  options.rows = {"1M-30ms-4"};
  expect_same(options, run);
}

}  // namespace
}  // namespace lab
