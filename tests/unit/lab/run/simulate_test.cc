#include "tools/lab/run/simulate.h"

#include <cmath>
#include <map>
#include <set>

#include "tests/unit/lab/support.h"
#include "tools/lab/batch/runs.h"
#include "tools/lab/figures/stats.h"

namespace lab {
namespace {

using testing::ByteHash;
using testing::expect_balance;
using testing::on_air;
using testing::shaped;

std::uint64_t hash_of(const Scenario& scenario, std::uint64_t seed) {
  ByteHash hash;
  simulate(scenario, seed, &hash);
  return hash.value();
}

void expect_same(const RunResult& a, const RunResult& b) {
  EXPECT_EQ(a.seed, b.seed);
  ASSERT_EQ(a.flows.size(), b.flows.size());
  for (std::size_t i = 0; i < a.flows.size(); ++i) {
    EXPECT_EQ(a.flows[i].goodput_1460, b.flows[i].goodput_1460);
    EXPECT_EQ(a.flows[i].delay_mean, b.flows[i].delay_mean);
    EXPECT_EQ(a.flows[i].packets, b.flows[i].packets);
  }
  ASSERT_EQ(a.bearers.size(), b.bearers.size());
  for (std::size_t i = 0; i < a.bearers.size(); ++i) EXPECT_EQ(a.bearers[i].bo_mean, b.bearers[i].bo_mean);
}

TEST(Simulate, TheSameSeedGivesTheSameBytesAtTheSameTimesAndAnotherDoesNot) {
  const auto s = on_air({"flows.0.count=2", "wires.w.jitter=5ms", "wires.w.loss=1%"});
  EXPECT_EQ(hash_of(s, 1), hash_of(s, 1));
  EXPECT_NE(hash_of(s, 1), hash_of(s, 2));
}

TEST(Simulate, ResultsDoNotDependOnTheNumberOfThreadsAndComeInTheOrderOfSeeds) {
  const auto s = on_air();
  const auto one = run_many(s, 6, 10, 1), two = run_many(s, 6, 10, 2);
  ASSERT_EQ(one.size(), 6u);
  ASSERT_EQ(two.size(), 6u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].seed, 10 + i);
    expect_same(one[i], two[i]);
  }
}

TEST(Simulate, OnceStoppedOnlyWhatIsCompleteComesBack) {
  std::atomic<bool> stop = false;
  const auto runs = run_many(
      shaped({"duration=1s"}), 50, 1, 1, [&](unsigned done, unsigned) { stop = done == 3; }, &stop);
  EXPECT_EQ(runs.size(), 3u);
}

TEST(Simulate, AnObserverChangesNothing) {
  const auto s = on_air();
  Observer nobody;
  expect_same(simulate(s, 4), simulate(s, 4, &nobody));
}

TEST(Simulate, EveryFrameIsAccountedFor) {
  for (const auto& s : {shaped({"classes.a.downlink.buffer.sdus=5"}), on_air({"flows.0.count=3"}),
                        on_air({"wires.w.loss=3%", "wires.w.rate=1M", "wires.w.queue=10"}),
                        shaped({"flows.0.traffic={file: {size: 20kB, gap: 500ms}}", "wires.w.loss=1%"}),
                        shaped({"flows.0.traffic={web: {gap: 1s}}", "flows.0.count=5"})}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_balance(simulate(s, seed));
  }
}

// The papers' law of TCP: windows are the smaller the more is lost (Mathis et al. 1997), and the buffer stays
// empty.
TEST(Simulate, ARadioThatRepairsNothingCostsTheSourceItsWindow) {
  const auto over_um = [](const char* um, std::uint64_t seed = 1) {
    return simulate(
        shaped({"classes.a.downlink={rate: 8M, buffer: {sdus: 100}, link: {um: " + std::string(um) + "}}",
                "duration=120s"}),
        seed);
  };
  const auto none = over_um("{loss: 0, delay: 24ms}");
  EXPECT_NEAR(none.flows[0].goodput_1500, 8e6 * 44 / 64, 8e6) << "a window of 44 packets";
  EXPECT_EQ(none.bearers[0].dropped_radio, 0u);
  double before = none.flows[0].goodput_1500;
  for (const char* um :
       {"{loss: 0.3%, delay: 24ms}", "{loss: 3%, delay: 24ms}", "{loss: 10%, delay: 24ms}"}) {
    const auto run = over_um(um);
    expect_balance(run);
    EXPECT_GT(run.bearers[0].dropped_radio, 20u) << um;
    EXPECT_EQ(run.bearers[0].dropped_overflow, 0u) << um;
    EXPECT_GE(run.flows[0].retransmissions, run.bearers[0].dropped_radio - 5) << um;
    EXPECT_LT(run.flows[0].goodput_1500, 0.8 * before) << um;
    before = run.flows[0].goodput_1500;
  }
  const auto seeded = [&](std::uint64_t seed) {
    return over_um("{loss: 3%, delay: 24ms}", seed).bearers[0].dropped_radio;
  };
  EXPECT_EQ(seeded(1), seeded(1));
  EXPECT_NE(over_um("{loss: 3%}", 1).flows[0].goodput_1500, over_um("{loss: 3%}", 2).flows[0].goodput_1500)
      << "the run's seed stands behind the link's";
}

TEST(Simulate, AnEmptyWayOverUmDelaysByItsDelayToo) {
  const auto run =
      simulate(shaped({"flows.0.traffic={file: {size: 1460, times: 1}}", "wires.w={rate: 10M, delay: 30ms}",
                       "classes.a.downlink={rate: 8M, link: {um: {loss: 0, delay: 24ms}}}"}),
               1);
  EXPECT_NEAR(run.flows[0].delay_mean, 0.030 + 1500 * 8 / 10e6 + 1500 * 8 / 8e6 + 0.024, 1e-9);
}

TEST(Simulate, BulkOverAShaperGetsItsRate) {
  const auto run = simulate(shaped({"measure_from=5s"}), 1);
  EXPECT_NEAR(run.flows[0].goodput_1500, 8e6, 8e6 * 0.001);
  EXPECT_NEAR(run.flows[0].goodput_1460, run.flows[0].goodput_1500 * 1460 / 1500, 1);
  EXPECT_NEAR(run.bearers[0].utilisation, 1, 0.001);
  EXPECT_EQ(run.flows[0].retransmissions, 0u);
  EXPECT_EQ(run.flow_seconds, 20);
  EXPECT_EQ(run.measured_from, 5);
  expect_balance(run);
}

// A window of 44 segments less what the wires hold waits in the buffer, by Little's law.
TEST(Simulate, BufferOccupancyIsTheWindowLessWhatIsUnderWay) {
  const auto run = simulate(shaped({"measure_from=5s"}), 1);
  const double packets_per_s = 8e6 / 12'000;
  EXPECT_NEAR(run.flows[0].delay_mean, 0.020 + run.bearers[0].bo_mean / packets_per_s, 0.0005);
  EXPECT_NEAR(run.bearers[0].bo_mean, 44 - 0.040 * packets_per_s, 1.5);
}

TEST(Simulate, AnEmptyWayDelaysByItsWireAndTheAirTimeOfThePacket) {
  const auto run = simulate(
      shaped({"flows.0.traffic={file: {size: 1460, times: 1}}", "wires.w={rate: 10M, delay: 30ms}"}), 1);
  EXPECT_NEAR(run.flows[0].delay_mean, 0.030 + 1500 * 8 / 10e6 + 1500 * 8 / 8e6, 1e-9);
  EXPECT_EQ(run.flows[0].packets, 1u);  // the FIN goes with it
  ASSERT_EQ(run.flows[0].transfers.size(), 1u);
  EXPECT_EQ(run.flows[0].finished_at, run.flows[0].transfers[0].finished);
  EXPECT_NEAR(run.flows[0].transfers[0].response(), run.flows[0].delay_mean, 1e-9);
}

// The request is the UE's SYN; the server answers it, and the UE's ACK of that lets the file begin.
TEST(Simulate, AResponseBeginsWithTheServersFirstSegmentAndNotWithTheRequest) {
  const auto run = simulate(shaped({"flows.0.traffic={file: {size: 100kB, gap: 1s}}",
                                    "wires.w={rate: 10M, delay: 30ms}", "wires.w.loss=2%"}),
                            1);
  const auto& transfers = run.flows[0].transfers;
  ASSERT_GT(transfers.size(), 5u);
  for (const Transfer& t : transfers) {
    if (std::isnan(t.finished)) continue;
    EXPECT_GE(t.answered - t.started, 0.060) << "a round trip";
    EXPECT_GT(t.response(), 0.030);
  }
}

TEST(Simulate, DropsAreCountedByTheirBearerAndSeenByTheObserver) {
  struct Drops : Observer {
    void dropped(const DataPoint&, std::string_view where) override { ++by[std::string(where)]; }
    std::map<std::string, std::uint64_t> by;
  } drops;
  const auto run = simulate(shaped({"classes.a.downlink.buffer.sdus=5", "wires.w.loss=1%"}), 1, &drops);
  EXPECT_GT(run.bearers[0].dropped_overflow, 0u);
  EXPECT_EQ(run.bearers[0].dropped_aqm, 0u);
  EXPECT_EQ(run.bearers[0].dropped_overflow, drops.by["buffer_sdus"]);
  EXPECT_GT(drops.by["w"], 0u);
  EXPECT_GE(run.flows[0].retransmissions, run.bearers[0].dropped_overflow + drops.by["w"]);
  EXPECT_EQ(run.bearers[0].bo_max, 5);
}

TEST(Simulate, OverTheAirLinkPdusAreSentAgainAndSdusAcknowledgedLate) {
  const auto run = simulate(on_air(), 1);
  EXPECT_GT(run.bearers[0].pdu_transmissions, 5'000u);
  EXPECT_GT(run.bearers[0].pdu_retransmissions, run.bearers[0].pdu_transmissions / 20);
  EXPECT_LT(run.flows[0].goodput_1500, 384e3);
  EXPECT_GT(run.flows[0].goodput_1500, 200e3);
}

// Bits per second of data that comes to the UE, in a span of time.
class Arrivals : public Observer {
 public:
  void received(const DataPoint& p, std::uint32_t) override { bits_[dp::ns(p.at)] += (p.payload + 40) * 8; }
  double rate(std::int64_t from_s, std::int64_t to_s) const {
    double sum = 0;
    for (auto i = bits_.lower_bound(from_s * 1'000'000'000); i != bits_.lower_bound(to_s * 1'000'000'000);
         ++i)
      sum += i->second;
    return sum / static_cast<double>(to_s - from_s);
  }

 private:
  std::map<std::int64_t, double> bits_;
};

TEST(Simulate, AChangeOfRateTakesEffectAtItsTime) {
  Arrivals arrivals;
  const auto run =
      simulate(shaped({"changes=[{at: 10s, ue: 10.45.0.2, downlink: {rate: 2M}}]"}), 1, &arrivals);
  EXPECT_NEAR(arrivals.rate(5, 10), 8e6, 8e6 * 0.005);
  EXPECT_NEAR(arrivals.rate(10, 11), 2e6, 2e6 * 0.02);
  EXPECT_NEAR(arrivals.rate(12, 20), 2e6, 2e6 * 0.005);
  EXPECT_LE(run.bearers[0].utilisation, 1.001);
  expect_balance(run);
}

TEST(Simulate, ChangesOfAnAirLinkKeepEveryFrameInTheAccount) {
  const auto s = on_air(
      {"changes=[{at: 5s, ue: 10.45.0.2, downlink: {rate: 128k}, uplink: {rate: 64k}}, "
       "{at: 10s, ue: 10.45.0.2, downlink: {link: {am: {fer: 30%}}}, uplink: {link: {am: {fer: 30%}}}}]"});
  ByteHash first, second;
  const auto run = simulate(s, 1, &first);
  simulate(s, 1, &second);
  EXPECT_EQ(first.value(), second.value());
  EXPECT_GT(run.bearers[0].pdu_transmissions, 2'000u);
  expect_balance(run);
}

TEST(Simulate, AFlowMoreDoesNotChangeWhatOthersDraw) {
  const std::string web = "{server: s, ue: 10.45.0.2, traffic: {web: {gap: 2s}}}";
  const auto asked = [](const Scenario& s) {
    std::vector<std::pair<double, std::uint64_t>> out;
    const RunResult run = simulate(s, 3);
    for (const auto& t : run.flows[0].transfers) out.emplace_back(t.started, t.bytes);
    return out;
  };
  const auto alone = asked(shaped({"flows=[" + web + "]"}));
  EXPECT_GT(alone.size(), 10u);
  EXPECT_EQ(alone, asked(shaped({"flows=[" + web + ", " + web + ", {server: s, ue: 10.45.0.2}]"})));
}

TEST(Simulate, WebPagesComeAtTheirGapWithTheirObjects) {
  const auto run = simulate(
      shaped({"duration=20000s", "flows.0.traffic={web: {gap: 5s, object_gap: 10ms, max: 20kB}}"}), 1);
  const auto& transfers = run.flows[0].transfers;
  double pages = 1, last = 0;
  for (const auto& t : transfers) {
    pages += t.started - last > 0.3;
    last = t.started;
  }
  EXPECT_NEAR(pages, 4000, 4000 * 0.08);  // a few pages are so close that they look like one
  EXPECT_NEAR(static_cast<double>(transfers.size()), 20'000, 20'000 * 0.04);
}

TEST(Simulate, FilesFollowEachOtherAfterTheirGap) {
  const auto run = simulate(shaped({"duration=20000s", "flows.0.traffic={file: {size: 10kB, gap: 2s}}"}), 1);
  const auto& transfers = run.flows[0].transfers;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < transfers.size(); ++i)
    gaps.push_back(transfers[i].started - transfers[i - 1].finished);
  EXPECT_GT(gaps.size(), 5'000u);
  EXPECT_NEAR(mean(gaps), 2, 0.1);
  EXPECT_NEAR(standard_deviation(gaps), 2, 0.15);
}

TEST(Simulate, SoManyFilesAsAskedForAreSentAndTheirEndIsTold) {
  const auto run = simulate(shaped({"flows.0.traffic={file: {size: 10kB, gap: 100ms, times: 3}}"}), 1);
  EXPECT_EQ(run.flows[0].transfers.size(), 3u);
  EXPECT_FALSE(std::isnan(run.flows[0].finished_at));
  EXPECT_EQ(run.flows[0].goodput_1460, 3 * 10'000 * 8 / 20.0);
  EXPECT_TRUE(std::isnan(simulate(shaped(), 1).flows[0].finished_at));
}

TEST(Simulate, FlowsOfOneKindShareTheirBearerFairlyOnceTheyAreAllOn) {
  const auto run = simulate(shaped({"flows.0.count=4", "duration=60s", "measure_from=10s"}), 1);
  std::set<std::string> ids;
  double all = 0;
  for (const auto& flow : run.flows) {
    ids.insert(flow.id);
    all += flow.goodput_1500;
  }
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_NEAR(all, 8e6, 8e6 * 0.01);
  EXPECT_GT(run.jain, 0.7);
  EXPECT_EQ(run.flow_seconds, 240);
}

TEST(Simulate, OverIpv6ItIsTheSameLessTheLongerHeader) {
  const auto run =
      simulate(shaped({"bearers.0.ue=2001:db8:1:2::/64", "flows.0.ue=2001:db8:1:2::/64",
                       "servers.s.address=2001:db8::1", "flows.0.tcp.mss=1440", "measure_from=5s"}),
               1);
  EXPECT_NEAR(run.flows[0].goodput_1460, 8e6 * 1440 / 1500, 8e6 * 0.001);
  EXPECT_NEAR(run.flows[0].delay_mean, 0.020 + run.bearers[0].bo_mean / (8e6 / 12'000), 0.0005);
  expect_balance(run);
}

TEST(Simulate, ServersBehindOneWireShareItsRate) {
  const auto run = simulate(
      shaped({"wires.w={rate: 1M, delay: 20ms, queue: 20}", "servers.t={address: 192.0.2.2, wire: w}",
              "flows=[{server: s, ue: 10.45.0.2}, {server: t, ue: 10.45.0.2}]", "measure_from=5s"}),
      1);
  EXPECT_NEAR(run.flows[0].goodput_1500 + run.flows[1].goodput_1500, 1e6, 1e6 * 0.02);
  EXPECT_GT(run.frames.lost, 0u);
}

}  // namespace
}  // namespace lab
