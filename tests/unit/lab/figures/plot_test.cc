#include "tools/lab/figures/plot.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/lab/support.h"
#include "tools/common/process.h"

namespace lab {
namespace {

namespace fs = std::filesystem;
using testing::content;

void expect_picture(const fs::path& folder, const std::string& name) {
  const std::string png = content(folder / (name + ".png")), svg = content(folder / (name + ".svg"));
  EXPECT_EQ(png.substr(0, 4), "\x89PNG") << name;
  EXPECT_GT(png.size(), 2000u) << name;
  EXPECT_NE(svg.find("</svg>"), std::string::npos) << name;
  EXPECT_FALSE(content(folder / (name + ".gp")).empty());
}

TracePlot small_trace() {
  TracePlot trace{"one flow", {{0, 0}, {1, 10}, {2, 50}, {3, 20}}, {}};
  trace.flows.push_back({"1", {{0, 1}, {1, 2}, {2, 4}}, {{0.5, 1}, {1, 2}}, {{1.5, 1}}, {{1.2, 2}}});
  return trace;
}

TEST(DrawTrace, LeavesDataScriptAndPictures) {
  const tools::ScratchFolder scratch;
  draw_trace({scratch.path() / "made" / "here", "trace"}, small_trace());
  expect_picture(scratch.path() / "made" / "here", "trace");
  const auto csv = content(scratch.path() / "made" / "here" / "trace.csv");
  EXPECT_EQ(
      csv,
      "time_s,series,flow,value\n0,bo,,0\n1,bo,,10\n2,bo,,50\n3,bo,,20\n0,cwnd,1,1\n1,cwnd,1,2\n2,cwnd,1,4\n"
      "0.5,sent,1,1\n1,sent,1,2\n1.5,received,1,1\n1.2,dropped,1,2\n");
}

TEST(DrawTrace, ItsScriptDrawsThePictureAgain) {
  const tools::ScratchFolder scratch;
  draw_trace({scratch.path(), "trace"}, small_trace());
  fs::remove(scratch.path() / "trace.png");
  EXPECT_EQ(tools::run_program({"gnuplot", "trace.gp"}, "gnuplot-nox", scratch.path()).status, 0);
  expect_picture(scratch.path(), "trace");
}

TEST(DrawTradeoffs, LeavesDataScriptAndPictures) {
  const tools::ScratchFolder scratch;
  draw_tradeoffs({scratch.path(), "sweep"}, "a \"sweep\"",
                 {{"sdus=20, x=\"y\"", {280, 5}, {0.4, 0.01}}, {"sdus=50", {300, 4}, {0.9, 0.02}}});
  expect_picture(scratch.path(), "sweep");
  EXPECT_NE(content(scratch.path() / "sweep.csv").find("\"sdus=20, x='y'\",0.4,0.01,280,5,\"\"\n"),
            std::string::npos);
  EXPECT_NE(content(scratch.path() / "sweep.gp").find("with labels"), std::string::npos);
}

TEST(DrawTradeoffs, OfManyPointsAreColouredByTheirGroupInPlaceOfLabels) {
  const tools::ScratchFolder scratch;
  std::vector<Tradeoff> points;
  for (int i = 1; i <= 30; ++i) {
    points.push_back({std::to_string(i), {100.0 * i, 1}, {0.1 * i, 0}, i % 2 == 0 ? "red" : "pie"});
  }
  draw_tradeoffs({scratch.path(), "sweep"}, "30 points", points);
  expect_picture(scratch.path(), "sweep");
  const std::string script = content(scratch.path() / "sweep.gp");
  EXPECT_EQ(script.find("with labels"), std::string::npos);
  EXPECT_NE(script.find("array group[2] = [\"pie\", \"red\"]"), std::string::npos) << script;
}

TEST(DrawComparison, LeavesDataScriptAndPictures) {
  const tools::ScratchFolder scratch;
  draw_comparison({scratch.path(), "paper"}, "rows",
                  {{"A1", {281.9, 8.9}, {285, 6}, {.85, .05}, {.9, .03}},
                   {"A6", {299.9, 3.9}, {300, 4}, {1.09, .02}, {1.1, .02}}});
  expect_picture(scratch.path(), "paper");
}

TEST(Draw, WithoutGnuplotSaysWhatToInstall) {
  const tools::ScratchFolder scratch;
  const std::string path = std::getenv("PATH");
  setenv("PATH", scratch.path().c_str(), 1);
  try {
    draw({scratch.path(), "x"}, {{"a"}}, "");
    ADD_FAILURE() << "drew without gnuplot";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("apt-get install gnuplot-nox"), std::string::npos)
        << error.what();
  }
  setenv("PATH", path.c_str(), 1);
}

TEST(Draw, IntoAFileInsteadOfAFolderSaysSo) {
  const tools::ScratchFolder scratch;
  std::ofstream(scratch.path() / "file") << "x";
  EXPECT_THROW(draw({scratch.path() / "file", "x"}, {{"a"}}, ""), std::runtime_error);
}

TEST(Draw, GivesWhatGnuplotComplainsOf) {
  const tools::ScratchFolder scratch;
  try {
    draw({scratch.path(), "x"}, {{"a"}}, "plot nonsense(");
    ADD_FAILURE() << "drew nonsense";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lab
