#include "tools/lab/run/trace.h"

#include <map>

#include "tests/unit/lab/support.h"

namespace lab {
namespace {

using testing::on_air;
using testing::shaped;

std::map<std::string, std::size_t> counts_of(const TraceRecorder& trace) {
  std::map<std::string, std::size_t> out;
  for (const auto& e : trace.events()) ++out[std::string(e.event)];
  return out;
}

TEST(Trace, ShowsEverySegmentThatWasSentReceivedOrDropped) {
  const auto s = shaped({"classes.a.downlink.buffer.sdus=10"});
  TraceRecorder trace(s);
  const RunResult run = simulate(s, 1, &trace);
  auto counts = counts_of(trace);
  EXPECT_EQ(counts["sent"] + counts["resent"], run.flows[0].packets);
  EXPECT_EQ(counts["resent"], run.flows[0].retransmissions);
  EXPECT_EQ(counts["dropped"], run.bearers[0].dropped_overflow);
  EXPECT_EQ(counts["timeout"], run.flows[0].timeouts);
  EXPECT_EQ(counts["received"] + counts["repeated"], run.bearers[0].delivered - 1);  // the SYN-ACK
  EXPECT_GT(counts["dropped"], 0u);
}

TEST(Trace, OccupancyNeverExceedsTheBufferAndTimesNeverGoBack) {
  const auto s = on_air();
  TraceRecorder trace(s);
  const RunResult run = simulate(s, 1, &trace);
  double last = 0, most = 0;
  for (const auto& e : trace.events()) {
    ASSERT_GE(e.at, last);
    last = e.at;
    if (e.event == "bo") most = std::max(most, e.value);
  }
  EXPECT_EQ(most, run.bearers[0].bo_max);
  EXPECT_GT(counts_of(trace)["downlink-lost"], 10u);
}

TEST(Trace, OfFilesCountsSegmentsOnFromFileToFile) {
  const auto s = shaped({"flows.0.traffic={file: {size: 14600, gap: 100ms, times: 3}}"});
  TraceRecorder trace(s);
  simulate(s, 1, &trace);
  double expected = 0;
  for (const auto& e : trace.events()) {
    if (e.event != "sent") continue;
    EXPECT_EQ(e.value, expected);
    expected += 1;
  }
  EXPECT_EQ(expected, 30);
}

TEST(Trace, CsvHasALineForEachEventAndThePictureItsSeries) {
  const auto s = shaped({"duration=1s", "changes=[{at: 500ms, ue: 10.45.0.2, downlink: {rate: 2M}}]"});
  TraceRecorder trace(s);
  simulate(s, 1, &trace);
  const std::string csv = trace.csv();
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), trace.events().size() + 1);
  EXPECT_EQ(csv.find("time_s,event,of,value,where\n0.000000000,rate,10.45.0.2,8000000,\n"), 0u);
  EXPECT_NE(csv.find("0.500000000,rate,10.45.0.2,2000000,\n"), std::string::npos);
  const TracePlot plot = trace.plot("t");
  ASSERT_EQ(plot.flows.size(), 1u);
  EXPECT_EQ(plot.flows[0].id, "s-10.45.0.2");
  EXPECT_EQ(plot.flows[0].sent.size(), counts_of(trace)["sent"]);
  EXPECT_FALSE(plot.bo.empty());
  EXPECT_EQ(trace.json()[0]["event"], "rate");
}

}  // namespace
}  // namespace lab
