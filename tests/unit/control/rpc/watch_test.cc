// bearer.top and bearer.why: what bearers do now, and why.
#include <string>
#include <vector>

#include "control/loop/log.h"
#include "control/rpc/advice.h"
#include "control/rpc/bearer_watch.h"
#include "control/rpc/event_json.h"
#include "control/rpc/flow_json.h"
#include "tests/unit/control/rpc/flow_rpc_bench.h"

namespace control::rpc {
namespace {

using namespace dp::test;

constexpr const char* kWatchFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  gold: {downlink: {rate: 100M}}
  basic: {downlink: {rate: 2M}}
  acks: {downlink: {rate: 10M}, uplink: {ack: [{snoop: {}}]}}
bearers:
  - {ue: 10.45.0.2, class: acks}
  - {ue: 10.45.0.3, class: gold}
  - {ue: 10.45.0.4, class: basic}
)";

class WatchTest : public FlowRpcBench {
 protected:
  WatchTest() : FlowRpcBench(kWatchFile) {}

  // Downlink packets for a UE; they have left when it returns.
  void load(const char* ue, int packets) {
    const std::size_t sent = runtime.io.sent();
    for (int n = 0; n < packets; ++n)
      runtime.io.offer(dp::Side::core, {.src = Ip("192.0.2.1"), .dst = Ip(ue), .payload = 1000});
    for (int n = 0; n < 5000 && runtime.io.sent() < sent + static_cast<std::size_t>(packets); ++n) work();
    EXPECT_EQ(runtime.io.sent(), sent + static_cast<std::size_t>(packets));
  }
  // Waits for two samples of the meter, so that what has happened is in the last second of one.
  Json sampled(const std::string& ue, double least_rate) {
    for (int n = 0; n < 5000; ++n) {
      const Json row = row_of(ue);
      if (row["downlink"]["delivered_rate"]["1s"] > least_rate) return row;
      work();
    }
    ADD_FAILURE() << "no sample";
    return {};
  }
  Json row_of(const std::string& ue) {
    const Json top = result("bearer.top");
    for (const Json& row : top["items"]) {
      if (row["ue"] == ue) return row;
    }
    return {};
  }
  static std::vector<std::string> ues(const Json& top) {
    std::vector<std::string> all;
    for (const Json& row : top["items"]) all.push_back(row["ue"]);
    return all;
  }
};

TEST_F(WatchTest, TopTellsRatesAndWhatLimits) {
  load("10.45.0.3", 20);
  const Json row = sampled("10.45.0.3", 0);
  EXPECT_EQ(row["class"], "gold");
  EXPECT_EQ(row["cell"], nullptr);
  EXPECT_EQ(row["downlink"]["rate"], 100'000'000);
  EXPECT_GT(row["downlink"]["delivered_rate"]["60s"], 0);
  EXPECT_EQ(row["downlink"]["queued_sdus"], 0);
  EXPECT_EQ(row["downlink"]["limit"], "ue_silent") << "it has never answered";
  EXPECT_EQ(row["uplink"]["limit"], "idle");
  EXPECT_EQ(row["rtt_seconds"]["core"], nullptr);
}

TEST_F(WatchTest, TopSortsAndFilters) {
  load("10.45.0.4", 10);
  sampled("10.45.0.4", 0);
  const Json top = result("bearer.top", {{"limit", 1}});
  EXPECT_EQ(ues(top), std::vector<std::string>{"10.45.0.4"});
  EXPECT_EQ(top["of"], 3);
  EXPECT_EQ(top["next"], nullptr);
  EXPECT_EQ(ues(result("bearer.top", {{"class", "gold"}})), std::vector<std::string>{"10.45.0.3"});
  EXPECT_EQ(ues(result("bearer.top", {{"prefix", "10.45.0.2/32"}})), std::vector<std::string>{"10.45.0.2"});
  EXPECT_EQ(ues(result("bearer.top", {{"reverse", true}})).back(), "10.45.0.4");
}

TEST_F(WatchTest, TopRefusesWhatItDoesNotKnow) {
  expect_error(call("bearer.top", {{"by", "size"}}), kInvalidParams,
               "by: found \"size\", expected one of rate, used, queue, delay, drops, marks");
  expect_error(call("bearer.top", {{"direction", "down"}}), kInvalidParams,
               "expected one of downlink, uplink");
  expect_error(call("bearer.top", {{"class", "silver"}}), kInvalidParams, "no class \"silver\"");
  expect_error(call("bearer.top", {{"prefix", "10.45.0.2/16"}}), kInvalidParams, "prefix");
  expect_error(call("bearer.top", {{"limit", 101}}), kInvalidParams, "limit");
}

TEST_F(WatchTest, WhyTellsConnectionsOfABearerThatFollowsThem) {
  using dp::test::kSyn;
  up({.seq = 100, .flags = kSyn, .options = options({mss(1400), scale(7)})});
  for (int n = 0; n < 500 && runtime.io.sent() < 1; ++n) work();
  const Json why = result("bearer.why", {{"ue", "10.45.0.2"}});
  EXPECT_EQ(why["class"], "acks");
  EXPECT_EQ(why["configured_class"], "acks");
  EXPECT_EQ(why["origin"], "file");
  EXPECT_EQ(why["connections"], 1);
  EXPECT_EQ(why["flows"].size(), 1u);
  EXPECT_FALSE(why["advice"].empty());
  EXPECT_LE(why["advice"].size(), 3u);
}

TEST_F(WatchTest, WhyTellsTheClassThatTheConfigurationGives) {
  result("bearer.set", {{"ue", "10.45.0.3"}, {"class", "basic"}});
  const Json why = result("bearer.why", {{"ue", "10.45.0.3"}});
  EXPECT_EQ(why["class"], "basic");
  EXPECT_EQ(why["configured_class"], "gold");
  EXPECT_EQ(why["connections"], nullptr) << "they are not followed";
}

TEST_F(WatchTest, WhyNamesABearerThatIsNotThere) {
  expect_error(call("bearer.why", {{"ue", "10.45.0.9"}}), kNoSuchBearer, "10.45.0.9");
}

TEST(EventJson, NamesAreWholeWords) {
  log::events().add(log::Level::info, "test", {{"ue", "10.99.0.77"}, {"why", "10.99.0.78, 10.99.0.79"}});
  EXPECT_EQ(events_about("10.99.0.7", 10).size(), 0u);
  EXPECT_EQ(events_about("10.99.0.79", 10).size(), 1u);
  log::events().add(log::Level::info, "test", {{"ue", "10.99.0.77"}, {"n", 2}});
  const Json newest = events_about("10.99.0.77", 1);
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0]["fields"]["n"], 2);
}

TEST(FlowSummary, IsOfTheShortestRoundTripsAndOfConnectionsThatLive) {
  FlowSummary sum;
  dp::Flow flow;
  flow.radio.smoothed = std::chrono::milliseconds(40);
  sum.add(flow);
  flow.radio.smoothed = std::chrono::milliseconds(30);
  sum.add(flow);
  EXPECT_EQ(sum.connections, 2u);
  EXPECT_DOUBLE_EQ(sum.radio_rtt.value_or(0), 0.03);
  EXPECT_EQ(sum.core_rtt, std::nullopt);
  EXPECT_EQ(rtt_json(sum)["core"], nullptr);
  EXPECT_DOUBLE_EQ(in_seconds(flow.radio.smoothed), 0.03);
}

TEST(Advice, SaysTheFigureThatItFollowsFrom) {
  Diagnosis d;
  d.limit = Limit::rate;
  d.facts.rate = 3e6;
  d.facts.delivered = 2.96e6;
  d.class_rate = 20e6;
  d.cls = "gold";
  d.aqm = "drop-tail";
  d.sojourn = 0.24;
  const auto text = advice(d);
  ASSERT_EQ(text.size(), 3u);
  EXPECT_EQ(text[0], "It gets 2.96 Mbit/s of 3 Mbit/s: its rate is the limit.");
  EXPECT_EQ(text[1], "The 3 Mbit/s of this bearer overrides the 20 Mbit/s of its class gold.");
  EXPECT_NE(text[2].find("240 ms"), std::string::npos);
}

TEST(Advice, OfAGateNamesWhoKeepsIt) {
  Diagnosis d;
  d.limit = Limit::gate;
  d.gate = dp::Gate::hold;
  auto text = advice(d);
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text[0], "It gets 0 bit/s: its gate is `hold`, as for an idle UE, so that its packets wait.");
  EXPECT_EQ(text[1], "`rncctl bearer set UE --gate open` opens it.");
  d.gate = dp::Gate::closed;
  d.direction = dp::Direction::uplink;
  d.owner = "pfcp";
  text = advice(d);
  ASSERT_EQ(text.size(), 2u);
  EXPECT_NE(text[0].find("dropped"), std::string::npos);
  EXPECT_EQ(text[1].find("pfcp keeps this bearer"), 0u);
  EXPECT_NE(text[1].find("--uplink-gate open"), std::string::npos);
}

TEST(Advice, EveryLimitHasSome) {
  for (std::size_t limit = 0; limit < kLimits; ++limit) {
    Diagnosis d;
    d.limit = static_cast<Limit>(limit);
    d.box.stolen_ratio = {0.7};
    const auto text = advice(d);
    EXPECT_FALSE(text.empty()) << name(d.limit);
    EXPECT_LE(text.size(), 3u) << name(d.limit);
  }
}

}  // namespace
}  // namespace control::rpc
