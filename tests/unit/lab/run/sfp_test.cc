// Short flows first, paper 001 section 6.1: one bearer with a bulk download and short ones.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/lab/support.h"

namespace lab {
namespace {

using testing::expect_balance;
using testing::loaded;

const std::string kBulkAndShort = R"(version: 1
duration: 120s
classes:
  a:
    downlink: {rate: 1M, buffer: {sdus: 40}}
    uplink: {rate: 256k, buffer: {sdus: 1000}}
bearers:
  - {ue: 10.45.0.2, class: a}
wires:
  w: {delay: 20ms}
servers:
  s: {address: 192.0.2.1, wire: w}
flows:
  - {server: s, ue: 10.45.0.2}
  - {server: s, ue: 10.45.0.2, traffic: {file: {size: 8kB, gap: 2s}}}
)";

struct Shown {
  double bulk, all;       // bit/s
  double transfer, most;  // s: of the short ones, the mean and the longest
  std::size_t transfers;
};

Shown shown_of(const std::vector<std::string>& flags) {
  const RunResult result = simulate(loaded(kBulkAndShort, flags), 1);
  expect_balance(result);
  Shown shown{result.flows[0].goodput_1460, result.flows[0].goodput_1460 + result.flows[1].goodput_1460, 0, 0,
              0};
  for (const Transfer& one : result.flows[1].transfers) {
    if (std::isnan(one.finished)) continue;
    shown.transfer += one.finished - one.started;
    shown.most = std::max(shown.most, one.finished - one.started);
    ++shown.transfers;
  }
  shown.transfer /= static_cast<double>(shown.transfers);
  return shown;
}

TEST(ShortFlowsFirst, ShortFlowsFinishEarlierAndTheBulkFlowLosesLittle) {
  const Shown fifo = shown_of({}), sfp = shown_of({"classes.a.downlink.queue=sfp"});
  ASSERT_GT(fifo.transfers, 15u);
  ASSERT_GT(sfp.transfers, 30u);
  EXPECT_LT(sfp.transfer, fifo.transfer / 2);
  EXPECT_LT(sfp.most, fifo.transfer);
  EXPECT_GT(sfp.bulk, 0.9 * fifo.bulk);
  EXPECT_GT(sfp.all, 0.97 * fifo.all) << "what the bulk flow loses the short ones have";
}

TEST(ShortFlowsFirst, WithNoBytesForShortFlowsItIsTheFifo) {
  // Only the first SDU that a flow has sent goes before others: the SYN-ACK.
  const Shown fifo = shown_of({}), none = shown_of({"classes.a.downlink.queue={sfp: {short: 0}}"});
  EXPECT_NEAR(none.bulk, fifo.bulk, 0.05 * fifo.bulk);
  EXPECT_GT(none.transfer, fifo.transfer / 2);
}

TEST(ShortFlowsFirst, UnderEveryAqmThatJudgesNothingIsLostUnseen) {
  for (const char* aqm : {"red", "pdpc", "sbd", "codel", "pie"}) {
    SCOPED_TRACE(aqm);
    const std::string policy = std::string("classes.a.downlink.aqm=") + aqm;
    const Shown fifo = shown_of({policy}), sfp = shown_of({policy, "classes.a.downlink.queue=sfp"});
    EXPECT_LT(sfp.transfer, fifo.transfer);
    EXPECT_GT(sfp.bulk, 0.8 * fifo.bulk);
  }
}

// Over RLC acknowledged mode several SDUs are in transmission at a time; in a cell an SDU takes several
// slots.
TEST(ShortFlowsFirst, OverOtherLinksShortFlowsFinishEarlierToo) {
  const std::vector<std::string> air{"classes.a.downlink.link={am: {fer: 10%}}",
                                     "classes.a.downlink.rate=384k",
                                     "classes.a.uplink={rate: 384k, link: {am: {fer: 10%}}}"};
  auto with_sfp = air;
  with_sfp.push_back("classes.a.downlink.queue=sfp");
  EXPECT_LT(shown_of(with_sfp).transfer, 0.8 * shown_of(air).transfer);
}

// More flows than there are records, all of them short: they get no more than a FIFO gives.
TEST(ShortFlowsFirst, ManyShortFlowsAtOnceLoseNothingUnseen) {
  const std::vector<std::string> many{"flows.1.count=60", "flows.1.traffic={file: {size: 5kB, gap: 100ms}}",
                                      "classes.a.downlink.queue={sfp: {flows: 8}}", "duration=30s"};
  const Shown shown = shown_of(many);
  EXPECT_GT(shown.transfers, 0u);
}

}  // namespace
}  // namespace lab
