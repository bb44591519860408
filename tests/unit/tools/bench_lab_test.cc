#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tools/bench/lab.h"
#include "tools/common/process.h"

namespace bench {
namespace {

std::vector<LabSubject> subjects() {
  return {{"rnclab", 383.7, 239, 1, {0.2, 0.1, 0.4}},
          {"ns-2", 383.6, 242, 1, {0.1, 0.1}},
          {"AM", 300, 9, 8, {1}}};
}

TEST(BenchLabTable, HasTheMedianSpeedAndItsRatioToNs2) {
  EXPECT_DOUBLE_EQ(flow_seconds_per_s(subjects()[0], 1000), 5000);
  const std::string table = lab_table(subjects(), 1000);
  EXPECT_NE(table.find("rnclab            5000    0.50    0.100     0.200   383.7      239         1\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("AM                1000       -"), std::string::npos) << table;
}

TEST(BenchLabJson, HasEachTurnAndTheRatio) {
  LabOptions options;
  options.seconds = 1000;
  const auto json = lab_json(subjects(), {{0.1, 1000, 100, {20, 40, 30}, {10}}}, options, "0.1.0");
  EXPECT_DOUBLE_EQ(json["ratio_to_ns2"].get<double>(), 0.5);
  EXPECT_EQ(
      json["subjects"][0].dump(),
      R"({"subject":"rnclab","flow_seconds_per_s":5000.0,"busy_s":[0.2,0.1,0.4],"goodput_kbit_s":383.7,)"
      R"("retransmissions":239.0,"timeouts":1.0})");
  EXPECT_EQ(
      json["pdus"][0].dump(),
      R"({"subject":"RLC AM PDU","end":"sender","frame_errors":0.1,"ns_p50":30.0,"target_ns":30.0,"met":true})");
}

TEST(BenchPduTable, HasBothEndsBesideTheTarget) {
  const std::string table = pdu_table({{0.1, 1000, 100, {20, 60, 30.5}, {10}}});
  EXPECT_NE(table.find("at the sender            10 %  1000    100   20.0    30.5      30   NO\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("at the receiver          10 %  1000    100   10.0    10.0      30  yes\n"),
            std::string::npos)
      << table;
}

// All turns are the same, and frames that are lost make for PDUs that are sent again.
TEST(BenchPdus, AreCountedAlikeInEachTurn) {
  for (PduSubject subject : pdu_subjects()) {
    measure_pdus(subject, 200);
    const std::uint64_t pdus = subject.pdus, again = subject.again;
    measure_pdus(subject, 200);
    EXPECT_EQ(subject.pdus, pdus);
    EXPECT_EQ(subject.again, again);
    EXPECT_EQ(again > 0, subject.frame_errors > 0);
    EXPECT_EQ(subject.sender_ns.size(), 2u);
    EXPECT_EQ(subject.receiver_ns.size(), 2u);
  }
}

// Both do the same work: the same topology and settings give the same transfer, nearly segment for segment.
TEST(BenchLab, BothSimulatorsMoveTheSameData) {
  const tools::ScratchFolder scratch;
  LabOptions options;
  options.seconds = 300;
  options.repetitions = 2;
  options.json = (scratch.path() / "lab.json").string();
  testing::internal::CaptureStdout();
  ASSERT_EQ(run_lab(options, "0.1.0"), 0);
  testing::internal::GetCapturedStdout();
  std::ifstream file(options.json);
  const auto rows = nlohmann::json::parse(file)["subjects"];
  const double ours = rows[0]["goodput_kbit_s"], theirs = rows[1]["goodput_kbit_s"];
  EXPECT_NEAR(ours / theirs, 1, 0.02);
  EXPECT_GT(rows[0]["retransmissions"], 0);
  EXPECT_EQ(rows[2]["busy_s"].size(), 2u);
}

}  // namespace
}  // namespace bench
