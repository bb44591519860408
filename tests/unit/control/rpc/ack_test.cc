// ACK stages over the socket: put on, changed and taken off a bearer whose flows are live.
#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAckFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  paced: {downlink: {rate: 10M}, uplink: {ack: [{ack-rate: {mode: spacing, maxd: 10s}}], flows: {max: 9}}}
  plain: {downlink: {rate: 10M}}
  wire: {downlink: {link: wire}}
bearers: [{ue: 10.45.0.2, class: paced}, {ue: 10.45.0.3, class: plain}, {ue: 10.45.0.4, class: wire}]
)";

class AckTest : public dp::test::RpcBench {
 protected:
  AckTest() : RpcBench(kAckFile) {}

  Json uplink(const char* ue) { return result("bearer.get", {{"ue", ue}})["uplink"]; }
  Json worker() { return result("stats.get")["workers"][0]; }

  // Data of a flow, and then `acks` ACKs of it, of which all but `passing` are held.
  void data_and_acks(std::size_t acks, std::size_t passing = 1) {
    for (std::uint32_t i = 0; i <= acks; ++i) {
      runtime.io.offer(dp::Side::core,
                       {.dst = dp::test::Ip("10.45.0.2"), .sport = 80, .dport = 5001, .seq = 1 + 100 * i});
    }
    until_sent(sent_ += acks + 1);
    for (std::uint32_t i = 0; i < acks; ++i) {
      runtime.io.offer(dp::Side::radio, {.src = dp::test::Ip("10.45.0.2"),
                                         .dst = dp::test::Ip("192.0.2.1"),
                                         .sport = 5001,
                                         .dport = 80,
                                         .ack = 101 + 100 * i,
                                         .payload = 0});
    }
    until_sent(sent_ += passing);
  }
  void until_sent(std::size_t frames) {
    for (int i = 0; i < 5000 && runtime.io.sent() < frames; ++i) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(runtime.io.sent(), frames);
  }
  void until_held(std::uint64_t acks) {
    for (int i = 0; i < 5000 && worker()["held"] != acks; ++i) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(worker()["held"], acks);
    EXPECT_EQ(worker()["residue"], 0);
    EXPECT_EQ(result("stats.get")["residue"], 0);
  }

  std::size_t sent_ = 0;
};

TEST_F(AckTest, ABearerShowsItsStagesTheirSettingsAndWhatTheyHold) {
  data_and_acks(4);
  until_held(3);
  const Json up = uplink("10.45.0.2");
  ASSERT_EQ(up["ack"].size(), 1u) << up;
  EXPECT_EQ(up["ack"][0]["stage"], "ack-rate");
  EXPECT_EQ(up["ack"][0]["held"], 3);
  EXPECT_EQ(up["ack"][0]["settings"]["maxd"], "10s");
  EXPECT_EQ(up["flows"]["max"], 9);
  EXPECT_EQ(uplink("10.45.0.3")["ack"], Json::array());
  const Json brief = result("bearer.list")["items"][0]["uplink"]["ack"];
  EXPECT_EQ(brief, (Json{{{"stage", "ack-rate"}, {"held", 3}}}));
}

TEST_F(AckTest, TheirCountsStandInTheStatisticsOfTheClass) {
  data_and_acks(4);
  until_held(3);
  const Json acks = result("stats.get")["classes"][0]["acks"];
  EXPECT_EQ(acks["held"], 3);
  EXPECT_EQ(acks["flows"], 1);
  EXPECT_EQ(acks["unfollowed_segments"], 0);
  EXPECT_EQ(acks["corrupt_segments"], 0);
  EXPECT_EQ(acks["stages"]["ack-rate"]["held"], 3);
  EXPECT_EQ(acks["stages"]["ack-rate"]["released"], 0);
}

TEST_F(AckTest, StagesTakenAwaySendWhatTheyHold) {
  data_and_acks(4);
  until_held(3);
  const Json told = result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"ack", Json::array()}});
  EXPECT_EQ(told["lost"], 0);
  until_sent(sent_ += 3);
  until_held(0);
  EXPECT_EQ(uplink("10.45.0.2")["ack"], Json::array());
  EXPECT_FALSE(uplink("10.45.0.2").contains("flows"));
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.2"}})["followed"], false);
}

TEST_F(AckTest, OtherSettingsOfTheSameStageGoOnWithWhatItHolds) {
  data_and_acks(4);
  until_held(3);
  result("bearer.set", {{"ue", "10.45.0.2"},
                        {"uplink", {{"ack", {{{"ack-rate", {{"mode", "spacing"}, {"maxd", "9s"}}}}}}}}});
  EXPECT_EQ(uplink("10.45.0.2")["ack"][0]["settings"]["maxd"], "9s");
  EXPECT_EQ(uplink("10.45.0.2")["flows"]["max"], 9);
  EXPECT_EQ(worker()["held"], 3);
}

TEST_F(AckTest, AnotherTableOfFlowsTakesOverTheFlows) {
  data_and_acks(4);
  until_held(3);
  result("bearer.set", {{"ue", "10.45.0.2"}, {"uplink", {{"flows", {{"max", 100}}}}}});
  until_sent(sent_ += 3);
  const Json flows = result("flow.list", {{"ue", "10.45.0.2"}})["items"];
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0]["state"], "established");
  EXPECT_EQ(flows[0]["held_acks"], 0);
}

TEST_F(AckTest, StagesArePutOnABearerThatHadNone) {
  result("rrc.reconfigure", {{"bearer", "10.45.0.3"}, {"rate", "1M"}, {"ack", {"ack-rate"}}});
  EXPECT_EQ(uplink("10.45.0.3")["ack"][0]["stage"], "ack-rate");
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.3"}})["followed"], true);
}

TEST_F(AckTest, AHundredChangesInARowLeaveNothingBehind) {
  const Json paced{{{"ack-rate", {{"mode", "spacing"}, {"maxd", "10s"}}}}};
  for (int i = 0; i < 50; ++i) {
    data_and_acks(2);
    result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"ack", Json::array()}});
    until_sent(sent_ += 1);
    data_and_acks(2, 2);
    result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"ack", paced}});
  }
  until_held(0);
}

TEST_F(AckTest, WhatCannotWorkIsRefusedAndChangesNothing) {
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.4"}, {"ack", {"ack-rate"}}}), kInvalidParams,
               "uplink.ack: found ACK stages beside the downlink's link `wire`");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.3"}, {"ack", {"ack-rate", "ack-rate"}}}),
               kInvalidParams, "uplink.ack[1]: found the stage `ack-rate` twice");
  expect_error(call("bearer.set", {{"ue", "10.45.0.2"}, {"downlink", {{"link", "wire"}}}}), kInvalidParams,
               "downlink.link: found ACK stages beside");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.3"}, {"ack", "ack-rate"}}), kInvalidParams,
               "expected a list of ACK stages");
  EXPECT_EQ(uplink("10.45.0.3")["ack"], Json::array());
}

}  // namespace
}  // namespace control::rpc
