#include "tools/lab/batch/sweep_store.h"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/lab/support.h"
#include "tools/common/process.h"
#include "tools/lab/cmd_sweep.h"

namespace lab {
namespace {

namespace fs = std::filesystem;
using testing::content;

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

TEST(SweepStore, KeepsItsPointsFromOneToTheNext) {
  const tools::ScratchFolder scratch;
  {
    SweepStore store(scratch.path() / "new");
    EXPECT_EQ(store.find("a"), nullptr);
    store.add("a", {{"row", 1}});
    store.add("b", {{"row", 2}});
    ASSERT_NE(store.find("a"), nullptr);
  }
  SweepStore store(scratch.path() / "new");
  ASSERT_NE(store.find("b"), nullptr);
  EXPECT_EQ(store.find("b")->at("row"), 2);
  EXPECT_EQ(content(store.file()), "{\"key\":\"a\",\"row\":1}\n{\"key\":\"b\",\"row\":2}\n");
}

TEST(SweepStore, ALineThatWasCutOffIsLeftOutAndTheNextOneStandsAlone) {
  const tools::ScratchFolder scratch;
  write(scratch.path() / "points.jsonl", "{\"key\":\"a\",\"row\":1}\nno json\n{\"key\":\"b\",\"ro");
  {
    SweepStore store(scratch.path());
    EXPECT_NE(store.find("a"), nullptr);
    EXPECT_EQ(store.find("b"), nullptr);
    store.add("b", {{"row", 2}});
  }
  EXPECT_EQ(content(scratch.path() / "points.jsonl"),
            "{\"key\":\"a\",\"row\":1}\nno json\n{\"key\":\"b\",\"row\":2}\n");
}

TEST(SweepStore, ThatAnotherSweepWritesIsRefused) {
  const tools::ScratchFolder scratch;
  const SweepStore first(scratch.path());
  EXPECT_THROW(SweepStore second(scratch.path()), std::runtime_error);
}

TEST(SweepStore, InAPlaceThatIsNoFolderIsRefused) {
  const tools::ScratchFolder scratch;
  write(scratch.path() / "file", "");
  EXPECT_THROW(SweepStore store(scratch.path() / "file"), std::runtime_error);
}

constexpr const char* kScenario = R"(
version: 1
duration: 2s
runs: 2
classes: {c: {downlink: {rate: 384k}}}
bearers: [{ue: 10.45.0.2, class: c}]
wires: {w: {rate: 1M, delay: 10ms}}
servers: {s: {address: 192.0.2.1, wire: w}}
flows: [{server: s, ue: 10.45.0.2}]
)";

class SweepCommand : public ::testing::Test {
 protected:
  SweepCommand() {
    write(path("base.yaml"), kScenario);
    grid("[5, 50]");
    options_.file = path("grid.yaml");
    options_.out = path("kept");
    options_.json = path("rows.json");
    options_.jobs = 2;
  }
  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  void grid(const std::string& sdus) {
    write(path("grid.yaml"),
          "{version: 1, scenario: base.yaml, grid: {classes.c.downlink.buffer.sdus: " + sdus + "}}");
  }
  int run() {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = run_sweep(options_, "0.1.0");
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return code;
  }
  Json rows() const { return Json::parse(content(path("rows.json")))["rows"]; }

  tools::ScratchFolder scratch_;
  SweepOptions options_;
  std::string out_, err_;
};

TEST_F(SweepCommand, SimulatesEveryPointOfTheGrid) {
  ASSERT_EQ(run(), 0) << err_;
  ASSERT_EQ(rows().size(), 2u);
  EXPECT_EQ(rows()[0]["id"], "sdus=5");
  EXPECT_EQ(rows()[0]["set"].dump(), R"({"classes.c.downlink.buffer.sdus":"5"})");
  EXPECT_EQ(rows()[1]["runs"], 2);
  EXPECT_LT(rows()[0]["bo_sdu"]["mean"].get<double>(), rows()[1]["bo_sdu"]["mean"].get<double>());
  EXPECT_NE(out_.find("2 of 2 points"), std::string::npos) << out_;
}

TEST_F(SweepCommand, AgainDoesOnlyWhatIsMissing) {
  ASSERT_EQ(run(), 0) << err_;
  std::string kept = content(path("kept/points.jsonl"));
  const auto at = kept.find("sdus=5\"");
  ASSERT_NE(at, std::string::npos);
  write(path("kept/points.jsonl"), kept.replace(at, 6, "marked"));
  grid("[5, 20, 50]");
  ASSERT_EQ(run(), 0) << err_;
  EXPECT_EQ(rows()[0]["id"], "marked");  // taken from the file, not simulated again
  EXPECT_EQ(rows()[1]["id"], "sdus=20");
  EXPECT_EQ(std::ranges::count(content(path("kept/points.jsonl")), '\n'), 3);
}

TEST_F(SweepCommand, WithAnotherScenarioSeedOrSettingBeginsAnew) {
  ASSERT_EQ(run(), 0) << err_;
  options_.seed = 5;
  ASSERT_EQ(run(), 0) << err_;
  options_.set = {"duration=1s"};
  ASSERT_EQ(run(), 0) << err_;
  write(path("base.yaml"), std::string(kScenario) + "# changed\n");
  ASSERT_EQ(run(), 0) << err_;
  EXPECT_EQ(std::ranges::count(content(path("kept/points.jsonl")), '\n'), 8);
}

TEST_F(SweepCommand, OfOneProcessAndOfManyHasTheSameFigures) {
  ASSERT_EQ(run(), 0) << err_;
  const Json two = rows();
  options_.out = path("other");
  options_.jobs = 1;
  ASSERT_EQ(run(), 0) << err_;
  EXPECT_EQ(rows(), two);
}

TEST_F(SweepCommand, WithAPointThatCannotRunRunsNothingAndNamesIt) {
  grid("[5, 0]");
  EXPECT_EQ(run(), kConfiguration);
  EXPECT_NE(err_.find("(grid: sdus=0)"), std::string::npos) << err_;
  EXPECT_FALSE(fs::exists(path("kept")));
}

TEST_F(SweepCommand, WithoutItsScenarioSaysSo) {
  fs::remove(path("base.yaml"));
  EXPECT_EQ(run(), kConfiguration);
  EXPECT_NE(err_.find("base.yaml"), std::string::npos) << err_;
}

TEST_F(SweepCommand, DrawsGoodputAgainstDelay) {
  options_.plot = path("pictures");
  ASSERT_EQ(run(), 0) << err_;
  EXPECT_TRUE(fs::exists(path("pictures/sweep.png")));
}

}  // namespace
}  // namespace lab
