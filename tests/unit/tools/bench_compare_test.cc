#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tools/common/process.h"

namespace bench {
namespace {

// Runs tools/bench/compare on two texts.
class Compare : public testing::Test {
 protected:
  tools::Ended compare(const std::string& before, const std::string& after,
                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> argv{RNCD_SOURCE_ROOT "/tools/bench/compare", written("old.json", before),
                                  written("new.json", after)};
    argv.insert(argv.end(), more.begin(), more.end());
    return tools::run_program(argv, "python3", scratch_.path());
  }

 private:
  std::string written(const std::string& name, const std::string& text) {
    const auto path = scratch_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  tools::ScratchFolder scratch_;
};

std::string timers_file(double calendar, double rte, const std::string& timers = "1000") {
  const auto row = [&](const std::string& subject, double ns) {
    return R"({"timers":)" + timers + R"(,"operation":"expire","subject":")" + subject + R"(","ns_p50":)" +
           std::to_string(ns) + R"(,"chunks":)" + std::to_string(ns) + "}";
  };
  return R"({"benchmark":"timers","cells":[)" + row("calendar", calendar) + "," + row("rte_timer", rte) +
         "]}";
}

TEST_F(Compare, WhatGotSlowerAndWhatFasterIsNamedWithItsRatio) {
  const auto ended = compare(timers_file(20, 100), timers_file(25, 80));
  EXPECT_EQ(ended.status, 1) << ended.said;
  EXPECT_NE(
      ended.said.find("slower  x1.250  ns_p50 20 -> 25  timers 1000, operation expire, subject calendar\n"),
      std::string::npos)
      << ended.said;
  EXPECT_NE(ended.said.find("faster  x0.800  ns_p50 100 -> 80"), std::string::npos) << ended.said;
  EXPECT_NE(ended.said.find("1 got worse by more than 5 %, 1 better\n"), std::string::npos) << ended.said;
}

TEST_F(Compare, DifferencesWithinTheShareAreNone) {
  EXPECT_EQ(compare(timers_file(20, 100), timers_file(20.9, 96)).status, 0);
  const auto ended = compare(timers_file(20, 100), timers_file(25, 80), {"--beyond", "30%"});
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_NE(ended.said.find("0 got worse by more than 30 %, 0 better\n"), std::string::npos) << ended.said;
}

TEST_F(Compare, OnlyWhatGotFasterIsNoFault) {
  EXPECT_EQ(compare(timers_file(20, 100), timers_file(10, 50)).status, 0);
}

TEST_F(Compare, MoreSimulatedSecondsASecondAreFasterAlsoInFilesThatDoNotNameTheirKind) {
  const auto lab = [](const std::string& speed) {
    return R"({"simulated_s":10,"ratio_to_ns2":1,"subjects":[{"subject":"rnclab","flow_seconds_per_s":)" +
           speed + R"(,"busy_s":[1,2],"timeouts":1}]})";
  };
  const auto ended = compare(lab("1000"), lab("2000"));
  EXPECT_EQ(ended.status, 0) << ended.said;
  EXPECT_NE(ended.said.find("faster  x2.000  flow_seconds_per_s"), std::string::npos) << ended.said;
  EXPECT_EQ(compare(lab("2000"), lab("1000")).status, 1);
}

TEST_F(Compare, RowsOfThePathAreItsSubjectsWithinTheirCells) {
  const auto path = [](const std::string& first, const std::string& second) {
    const auto cell = [](int bearers, const std::string& ns) {
      return R"({"bearers":)" + std::to_string(bearers) +
             R"(,"load":"below","leaked_mbufs":0,"subjects":[{"subject":"sched","turns":[],"ns_mean":)" + ns +
             R"(,"ns_p50":)" + ns + "}]}";
    };
    return R"({"benchmark":"path","eal":"","cells":[)" + cell(1, first) + "," + cell(2, second) + "]}";
  };
  const auto ended = compare(path("10", "20"), path("10", "30"));
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(
      ended.said.find("ns_p50 20 -> 30  bearers 2, load below, subject sched\n2 figures of rncbench path"),
      std::string::npos)
      << ended.said;
}

TEST_F(Compare, MoreMissesThanNextToNoneAreNoneUnlessTheyAreSome) {
  const auto counts = [](const std::string& misses) {
    return R"({"cells":[{"bearers":1,"instructions":100,"l2_misses":)" + misses + "}]}";
  };
  EXPECT_EQ(compare(counts("0.01"), counts("0.02")).status, 0);
  EXPECT_EQ(compare(counts("0"), counts("1")).status, 1);
}

TEST_F(Compare, FilesOfDifferentKindsAreNamed) {
  const auto ended = compare(timers_file(1, 1), R"({"benchmark":"memory","cells":[]})");
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.said.find("of rncbench memory, expected two of the same"), std::string::npos) << ended.said;
}

TEST_F(Compare, FilesWithoutARowInCommonAreNoComparison) {
  const auto ended = compare(timers_file(1, 1), timers_file(1, 1, "2000"));
  EXPECT_EQ(ended.status, 2);
  EXPECT_NE(ended.said.find("measure both with the same options"), std::string::npos) << ended.said;
}

TEST_F(Compare, WhatIsNoFileOfRncbenchIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"benchmark":"novel"})", R"({"benchmark":"timers"})",
                           R"({"benchmark":"timers","cells":[1]})"}) {
    const auto ended = compare(text, timers_file(1, 1));
    EXPECT_EQ(ended.status, 2) << text;
    EXPECT_NE(ended.said.find("expected"), std::string::npos) << ended.said;
    EXPECT_EQ(ended.said.find("Traceback"), std::string::npos) << ended.said;
  }
  EXPECT_EQ(compare(timers_file(1, 1), timers_file(1, 1), {"--beyond", "much"}).status, 2);
}

}  // namespace
}  // namespace bench
