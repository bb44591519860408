// Wires between the radio port and the UE, start times of flows, and the time that SDUs stay in the buffer.
#include <set>

#include "tests/unit/lab/support.h"

namespace lab {
namespace {

using testing::loaded;
using testing::shaped;

constexpr const char* kWires = "wires={w: {delay: 20ms}, last: {delay: 30ms}}";
constexpr const char* kBehind = "radio={a: {wire: last, back: last}}";

TEST(RadioWires, LengthensTheWayToTheUeAndBackByItsWire) {
  const auto near = simulate(shaped({kWires, "duration=5s"}), 1);
  const auto far = simulate(shaped({kWires, "duration=5s", kBehind}), 1);
  testing::expect_balance(far);
  EXPECT_LT(far.flows[0].goodput_1460, near.flows[0].goodput_1460) << "100 ms instead of 40, of one window";
  const auto short_file = [](const std::string& way) {
    return simulate(shaped({kWires, "duration=5s", "flows.0.traffic={file: {size: 100B, times: 1}}", way}), 1)
        .flows[0];
  };
  const auto direct = short_file("flows.0.name=a"), wired = short_file(kBehind);
  ASSERT_EQ(direct.transfers.size(), 1u);
  EXPECT_NEAR(wired.delay_mean - direct.delay_mean, 0.030, 1e-6);
  EXPECT_NEAR(wired.transfers[0].finished - direct.transfers[0].finished, 4 * 0.030, 1e-6)
      << "SYN, SYN-ACK, ACK, data";
}

TEST(RadioWires, LosesAndCountsAsAnyWire) {
  const auto run = simulate(shaped({"wires={w: {delay: 20ms}, last: {delay: 30ms, loss: 5%}}", kBehind}), 3);
  testing::expect_balance(run);
  EXPECT_GT(run.frames.lost, 0u);
  EXPECT_GT(run.flows[0].retransmissions, 0u);
}

TEST(RadioWires, ThatNamesNoWireIsRefused) {
  const auto checked = testing::load(testing::kShaped, {"radio={a: {wire: lost}}"});
  EXPECT_FALSE(checked);
  EXPECT_NE(testing::problems_of(checked).find("radio.a.wire"), std::string::npos)
      << testing::problems_of(checked);
}

class Starts : public Observer {
 public:
  void sent(const DataPoint& point, bool) override {
    if (seen_.insert(point.flow).second) first.push_back(dp::ns(point.at));
  }
  std::vector<std::int64_t> first;

 private:
  std::set<std::size_t> seen_;
};

TEST(Spread, LetsFlowsStartAtTimesOfTheirOwnThatTheSeedDraws) {
  const auto starts = [](std::uint64_t seed, const char* spread) {
    Starts starts;
    simulate(shaped({"duration=3s", "flows.0.count=4", std::string("flows.0.spread=") + spread}), seed,
             &starts);
    return starts.first;
  };
  const auto some = starts(1, "1s"), others = starts(2, "1s");
  ASSERT_EQ(some.size(), 4u);
  EXPECT_EQ(std::set(some.begin(), some.end()).size(), 4u);
  EXPECT_NE(some, others);
  EXPECT_EQ(some, starts(1, "1s"));
  for (const std::int64_t at : some) EXPECT_LT(at, 1'200'000'000);
  const auto together = starts(1, "0s");
  EXPECT_LT(together.back() - together.front(), 10'000'000);
}

TEST(Sojourn, IsTheWaitAndTheTransmission) {
  const auto run = simulate(shaped({"measure_from=5s"}), 1);
  const BearerResult& bearer = run.bearers[0];
  EXPECT_GT(bearer.wait, 0.005);
  EXPECT_NEAR(bearer.sojourn - bearer.wait, 1500 * 8 / 8e6, 1e-5);
  EXPECT_NEAR(run.flows[0].delay_mean, 0.020 + bearer.sojourn, 2e-4);
}

}  // namespace
}  // namespace lab
