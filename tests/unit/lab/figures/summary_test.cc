#include "tools/lab/figures/summary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/unit/lab/support.h"
#include "tools/lab/figures/json.h"
#include "tools/lab/figures/sizes.h"

namespace lab {
namespace {

using testing::keys;

RunResult two_flows() {
  RunResult run;
  FlowResult a;
  a.goodput_1460 = 100e3;
  a.goodput_1500 = 102e3;
  a.delay_mean = 1;
  a.delay_p95 = 2;
  a.packets = 110;
  a.retransmissions = 10;
  a.timeouts = 1;
  FlowResult b = a;
  b.goodput_1460 = 50e3;
  b.goodput_1500 = 51e3;
  b.delay_mean = 2;
  b.delay_p95 = 4;
  b.packets = 300;
  b.retransmissions = 0;
  run.flows = {a, b};
  BearerResult bearer;
  bearer.bo_mean = 24;
  bearer.dropped_overflow = 7;
  bearer.dropped_rlc = 2;
  bearer.pdu_transmissions = 900;
  bearer.pdu_retransmissions = 100;
  bearer.utilisation = 0.8;
  run.bearers = {bearer};
  run.frames.lost = 3;
  run.jain = 0.9;
  run.flow_seconds = 120;
  run.wall_s = 0.01;
  return run;
}

TEST(RunFigures, OfTwoFlowsAddGoodputAndWeighDelayByPackets) {
  const RunFigures f = figures_of(two_flows());
  EXPECT_DOUBLE_EQ(f.goodput, 153);
  EXPECT_DOUBLE_EQ(f.goodput_1460, 150);
  EXPECT_DOUBLE_EQ(f.delay, (100 * 1.0 + 300 * 2.0) / 400);
  EXPECT_DOUBLE_EQ(f.delay_p95, 3);
  EXPECT_DOUBLE_EQ(f.retransmissions, 10);
  EXPECT_DOUBLE_EQ(f.timeouts, 2);
  EXPECT_DOUBLE_EQ(f.bo, 24);
  EXPECT_DOUBLE_EQ(f.overflow, 7);
  EXPECT_DOUBLE_EQ(f.rlc, 2);
  EXPECT_DOUBLE_EQ(f.wire, 3);
  EXPECT_DOUBLE_EQ(f.rlc_retransmissions, 0.1);
  EXPECT_TRUE(std::isnan(f.transfer));
}

TEST(RunFigures, OfAFlowWithoutArrivalsHaveNoDelayFromIt) {
  RunResult run = two_flows();
  run.flows[0].delay_mean = run.flows[0].delay_p95 = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(figures_of(run).delay, 2);
  EXPECT_DOUBLE_EQ(figures_of(run).delay_p95, 4);
}

TEST(RunFigures, OfFilesHaveTheMeanTimeOfThoseThatCameWhole) {
  RunResult run = two_flows();
  run.flows[1].transfers = {{1, 3, 50'000}, {5, 9, 50'000}, {59, std::nan(""), 50'000}};
  EXPECT_DOUBLE_EQ(figures_of(run).transfer, 3);
  EXPECT_TRUE(std::isnan(figures_of(run).response)) << "nothing was answered";
  run.flows[1].transfers[0].answered = 1.5;
  run.flows[1].transfers[1].answered = 6;
  run.flows[1].transfers[2].answered = 59.5;
  EXPECT_DOUBLE_EQ(figures_of(run).response, (1.5 + 3) / 2);
}

TEST(ResponsesBySize, StandInTheFirstBinThatHasRoomForThem) {
  RunResult run = two_flows();
  run.flows[0].transfers = {{0, 2, 3'500, 1}, {0, 4, 3'501, 1}, {0, std::nan(""), 100, 1}};
  run.flows[1].transfers = {{0, 5, 100, 2}, {0, 9, 15'000, 1}, {0, 30, 2'000'000, 10}};
  const ResponsesBySize sizes = responses_by_size(run.flows);
  EXPECT_EQ(sizes[0].transfers, 2u);
  EXPECT_DOUBLE_EQ(sizes[0].mean(), (1 + 3) / 2.0);
  EXPECT_DOUBLE_EQ(sizes[0].mean_per_kB(), (1 / 3.5 + 3 / 0.1) / 2);
  EXPECT_DOUBLE_EQ(sizes[0].mean_from_request(), (2 + 5) / 2.0);
  EXPECT_EQ(sizes[1].transfers, 1u);
  EXPECT_TRUE(std::isnan(sizes[2].mean()));
  EXPECT_EQ(sizes[4].transfers, 1u);
  EXPECT_EQ(sizes.back().transfers, 1u) << "larger than the last bound";
  EXPECT_EQ(responses_up_to(sizes, kShortBytes).transfers, 4u);
  EXPECT_DOUBLE_EQ(responses_up_to(sizes, kShortBytes).seconds, 1 + 3 + 3 + 8);
  const Json json = sizes_json(sizes);
  ASSERT_EQ(json.size(), 4u) << "bins without a transfer are left out";
  EXPECT_EQ(json[0].dump(), R"({"up_to_bytes":3500,"transfers":2,"response_s":2.0})");
  EXPECT_TRUE(json[3]["up_to_bytes"].is_null());
}

TEST(RunFigures, CountWhatTheDataPlaneCannotAccountFor) {
  RunResult run = two_flows();
  EXPECT_DOUBLE_EQ(figures_of(run).residue, 0);
  run.frames.residue = -2;
  run.frames.damaged = 1;
  EXPECT_DOUBLE_EQ(figures_of(run).residue, 3);
}

TEST(RowSummary, OverTwoRunsHasTheirMeanAndTheIntervalOfOneDegreeOfFreedom) {
  RunResult first = two_flows(), second = two_flows();
  second.flows[0].goodput_1500 += 2e3;
  const auto row = summarise(std::vector{first, second});
  EXPECT_DOUBLE_EQ(row.goodput().mean, 154);
  EXPECT_NEAR(row.goodput().ci90, 6.313752, 1e-5);  // t 6.3138, deviation sqrt(2), over sqrt(2)
  EXPECT_DOUBLE_EQ(row.delay().ci90, 0);
  EXPECT_EQ(row.runs(), 2u);
  EXPECT_DOUBLE_EQ(row.flow_seconds(), 240);
}

// Others read this: a member may be added, none may go or change its name.
TEST(RowJson, HasTheDocumentedMembers) {
  const Json row = row_json("A1", 1, summarise(std::vector{two_flows()}));
  EXPECT_EQ(keys(row),
            "id flows runs goodput_kbit_s goodput_1460_kbit_s delay_s delay_p95_s rtt_s bo_sdu sojourn_s "
            "wait_s drops "
            "retransmissions timeouts jain utilisation capacity_kbit_s carried rlc_retransmission_ratio "
            "transfer_s response_s ");
  EXPECT_EQ(keys(row["drops"]), "overflow aqm rlc radio wire ");
  EXPECT_EQ(row["goodput_kbit_s"].dump(), R"({"mean":153.0,"ci90":0.0})");
  EXPECT_EQ(row["id"], "A1");
  EXPECT_EQ(row["flows"], 1);
}

TEST(RowJson, WithoutAValueIsNull) {
  const Json row = row_json("A1", 1, summarise(std::vector{two_flows()}));
  EXPECT_EQ(row["transfer_s"].dump(), R"({"mean":null,"ci90":null})");
}

TEST(DocumentJson, HasTheDocumentedMembers) {
  const Json document = document_json({"0.1.0", "000", 20, 1, 60, false}, Json::array());
  EXPECT_EQ(keys(document), "version scenario runs seed duration_s partial rows ");
}

TEST(SlotShares, AreOfTheSlotsOfEachRunThatGaveAny) {
  std::vector<RunFigures> runs(3);
  runs[0].bearer_slots = {30, 10};
  runs[1].bearer_slots = {0, 0};
  runs[2].bearer_slots = {60, 0};
  const auto shares = slot_shares(RowSummary(runs));
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_DOUBLE_EQ(shares[0].mean, 0.875);
  EXPECT_DOUBLE_EQ(shares[1].mean, 0.125);
  runs.erase(runs.begin()), runs.pop_back();
  EXPECT_TRUE(slot_shares(RowSummary(runs)).empty()) << "outside cells";
}

}  // namespace
}  // namespace lab
