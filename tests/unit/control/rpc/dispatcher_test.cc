#include "control/rpc/dispatcher.h"

#include <gtest/gtest.h>

#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr const char* kFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  internet: {downlink: {rate: 8M}, uplink: {rate: 1M}}
  voice: {downlink: {rate: 64k}}
  radio: {downlink: {rate: 384k, link: {am: {fer: 5%}}}, uplink: {rate: 64k}}
bearers: [{ue: 10.45.0.1, class: internet}]
)";

class DispatcherTest : public dp::test::RpcBench {
 protected:
  DispatcherTest() : RpcBench(kFile) {}
};

TEST_F(DispatcherTest, EveryMethodOfTheTableIsListedWithItsText) {
  const Json list = result("rpc.methods")["items"];
  ASSERT_EQ(list.size(), methods().size());
  for (const Json& method : list) {
    EXPECT_FALSE(method["params"].get<std::string>().empty());
    EXPECT_FALSE(method["doc"].get<std::string>().empty());
  }
}

TEST_F(DispatcherTest, VersionNamesTheInterface) { EXPECT_EQ(result("version")["api"], 2); }

TEST_F(DispatcherTest, AnUnknownMethodNamesTheNearest) {
  expect_error(call("bearer.gett"), kMethodNotFound, "bearer.get");
}

TEST_F(DispatcherTest, AnUnknownParameterNamesTheNearest) {
  expect_error(call("bearer.list", {{"limitt", 5}}), kInvalidParams, "limit");
  expect_error(call("version", {{"x", 5}}), kInvalidParams, "\"x\"");
}

TEST_F(DispatcherTest, ParametersOfAnotherTypeAreRefused) {
  expect_error(call("bearer.list", {{"limit", "5"}}), kInvalidParams, "limit");
  expect_error(call("bearer.list", {{"limit", 0}}), kInvalidParams, "1 to 1000");
  expect_error(call("bearer.list", {{"limit", 1001}}), kInvalidParams, "1 to 1000");
  expect_error(call("bearer.get", {{"ue", 5}}), kInvalidParams, "ue");
  expect_error(call("bearer.get", Json::array({"10.45.0.1"})), kInvalidParams, "named");
  expect_error(call("mode.set", {{"mode", true}}), kInvalidParams, "mode");
}

TEST_F(DispatcherTest, SettingABearerTwiceChangesNothingTheSecondTime) {
  const Json want = {{"ue", "10.45.0.2"}, {"class", "internet"}, {"downlink", {{"rate", "2M"}}}};
  EXPECT_EQ(result("bearer.set", want), (Json{{"created", 1}, {"changed", 0}, {"unchanged", 0}}));
  EXPECT_EQ(result("bearer.set", want), (Json{{"created", 0}, {"changed", 0}, {"unchanged", 1}}));
  const Json bearer = result("bearer.get", {{"ue", "10.45.0.2"}});
  EXPECT_EQ(bearer["downlink"]["rate"], 2'000'000);
  EXPECT_EQ(bearer["class"], "internet");
  EXPECT_EQ(bearer["learnt"], false);
}

TEST_F(DispatcherTest, AnAddressInsideA64ThatHasABearerIsToldWhichOne) {
  result("bearer.set", {{"ue", "2001:db8:1:2::/64"}, {"class", "internet"}});
  expect_error(call("bearer.get", {{"ue", "2001:db8:1:2::7"}}), kNoSuchBearer,
               "no bearer 2001:db8:1:2::7/128; 2001:db8:1:2::/64 around it has one: name that");
  const Json other = call("bearer.get", {{"ue", "2001:db8:1:3::7"}});
  EXPECT_EQ(other["error"]["message"].get<std::string>().find("around it"), std::string::npos) << other;
}

TEST_F(DispatcherTest, APolicyTakenForAProfileIsToldWhichProfilesItHas) {
  expect_error(call("profile.get", {{"name", "sbd"}}), kInvalidParams,
               "no profile \"sbd\"; sbd is a policy, whose profiles are by-rate or max-goodput");
  expect_error(call("profile.get", {{"name", "codel"}}), kInvalidParams,
               "codel is a policy that has no profiles");
}

TEST_F(DispatcherTest, WithoutAClassABearerKeepsWhatItHas) {
  result("bearer.set", {{"ue", "10.45.0.1"}, {"downlink", {{"rate", "3M"}}}});
  result("bearer.set", {{"ue", "10.45.0.1"}, {"downlink", {{"buffer", {{"sdus", 7}}}}}});
  const Json bearer = result("bearer.get", {{"ue", "10.45.0.1"}});
  EXPECT_EQ(bearer["class"], "internet");
  EXPECT_EQ(bearer["downlink"]["rate"], 3'000'000);
  EXPECT_EQ(bearer["downlink"]["buffer"]["sdus"], 7);
  expect_error(call("bearer.set", {{"ue", "10.45.0.7"}}), kInvalidParams, "class");
}

TEST_F(DispatcherTest, OneWrongBearerOfManyLeavesAllAsTheyWere) {
  const Json want = {
      {"bearers",
       {{{"ue", "10.45.1.1"}, {"class", "internet"}}, {{"ue", "10.45.1.2"}, {"class", "intrnet"}}}}};
  expect_error(call("bearer.set", want), kInvalidParams, "bearers[1]");
  expect_error(call("bearer.get", {{"ue", "10.45.1.1"}}), kNoSuchBearer, "10.45.1.1");
}

TEST_F(DispatcherTest, AListIsReadPageByPageEachBearerOnce) {
  Json bearers = Json::array();
  for (int i = 0; i < 25; ++i)
    bearers.push_back({{"ue", "10.50.0." + std::to_string(i)}, {"class", "voice"}});
  result("bearer.set", {{"bearers", bearers}});
  std::set<std::string> seen;
  Json params = {{"class", "voice"}, {"limit", 10}};
  int pages = 0;
  for (Json page; pages < 10; params["cursor"] = page["next"]) {
    page = result("bearer.list", params);
    ++pages;
    for (const Json& bearer : page["items"]) EXPECT_TRUE(seen.insert(bearer["ue"]).second);
    if (page["next"].is_null()) break;
  }
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(seen.size(), 25u);
}

TEST_F(DispatcherTest, RemovingWhatIsNotThereIsNoError) {
  EXPECT_EQ(result("bearer.remove", {{"ues", {"10.45.0.1", "10.45.0.99"}}})["removed"], 1);
  EXPECT_EQ(result("bearer.remove", {{"ue", "10.45.0.1"}})["removed"], 0);
}

TEST_F(DispatcherTest, ReconfigureChangesOneRateAndTellsWhatItWas) {
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"rate", "2M"}}),
            (Json{{"bearer", "10.45.0.1"},
                  {"changed", {{"downlink", {{"rate", {{"was", "8M"}, {"now", "2M"}}}}}}},
                  {"direction", "downlink"},
                  {"rate", 2'000'000},
                  {"was", 8'000'000},
                  {"lost", 0}}));
  EXPECT_EQ(
      result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"rate", 500'000}, {"direction", "uplink"}})["was"],
      1'000'000);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.1"}})["uplink"]["rate"], 500'000);
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.9"}, {"rate", "2M"}}), kNoSuchBearer,
               "10.45.0.9");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"rate", "2X"}}), kInvalidParams, "rate");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"rate", "2M"}, {"direction", "up"}}),
               kInvalidParams, "direction");
}

TEST_F(DispatcherTest, AReconfigurationAnswersWithWhatChangedAndARateOnlyWhereOneWasAskedFor) {
  const Json told = result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"aqm", "codel"}});
  EXPECT_FALSE(told.contains("rate"));
  EXPECT_EQ(told["changed"].size(), 1u);
  EXPECT_EQ(told["changed"]["downlink"].size(), 1u);
  EXPECT_EQ(told["changed"]["downlink"]["aqm"]["was"], "drop-tail");
  EXPECT_TRUE(told["changed"]["downlink"]["aqm"]["now"].contains("codel")) << told;
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"aqm", "codel"}}),
            (Json{{"bearer", "10.45.0.1"}, {"changed", Json::object()}, {"lost", 0}}));
  const Json acks = result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"ack", {"ack-rate"}}})["changed"];
  EXPECT_EQ(acks["uplink"]["ack"]["was"], nullptr);
  EXPECT_TRUE(acks["uplink"]["ack"]["now"][0].contains("ack-rate")) << acks;
}

TEST_F(DispatcherTest, AQueueThatLetsShortFlowsGoFirstIsSetChangedAndTakenAwayLive) {
  const auto set = [this](const Json& queue) {
    return result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"queue", queue}})["changed"];
  };
  const auto downlink = [this] { return result("bearer.get", {{"ue", "10.45.0.1"}})["downlink"]; };
  EXPECT_EQ(downlink()["queue"], "fifo");
  EXPECT_EQ(downlink()["queue_settings"], Json::object());
  const Json changed = set("sfp");
  EXPECT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed["downlink"].size(), 1u);
  EXPECT_TRUE(changed["downlink"]["queue"]["now"].contains("sfp")) << changed;
  EXPECT_EQ(downlink()["queue"], "sfp");
  set({{"sfp", {{"short", "30kB"}, {"flows", 8}}}});
  EXPECT_EQ(downlink()["queue_settings"]["short"], "30kB");
  EXPECT_EQ(downlink()["queue_settings"]["flows"], 8);
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"aqm", "fq-codel"}}), kInvalidParams,
               "found `queue: sfp` beside `aqm: fq-codel`");
  result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"aqm", "fq-codel"}, {"queue", "fifo"}});
  EXPECT_EQ(downlink()["queue"], nullptr) << "it has queues of its own";
  result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"aqm", "drop-tail"}, {"queue", "sfp"}});
  EXPECT_EQ(downlink()["queue"], "sfp");
  set("fifo");
  EXPECT_EQ(downlink()["queue"], "fifo");
}

TEST_F(DispatcherTest, ABearerWithAnAirShowsWhatCrossedItAndItsSettings) {
  result("bearer.set", {{"ue", "10.45.0.2"}, {"class", "radio"}});
  const Json bearer = result("bearer.get", {{"ue", "10.45.0.2"}});
  for (const char* leg : {"downlink", "uplink"}) {
    const Json& air = bearer[leg]["air"];
    EXPECT_EQ(air["pdus"], (Json{{"new", 0}, {"retransmitted", 0}, {"status", 0}}));
    EXPECT_EQ(air["frames"], (Json{{"sent", 0}, {"lost", 0}}));
    for (const char* count :
         {"sdus_in_transmission", "retransmission_ratio", "frame_error_ratio", "discards", "resets"}) {
      EXPECT_EQ(air[count], 0) << count;
    }
    EXPECT_EQ(air["settings"]["fer"], "5%");
    EXPECT_EQ(air["settings"]["pdu_size"], "42B");
  }
  EXPECT_FALSE(
      result("bearer.list", {{"class", "radio"}})["items"][0]["downlink"]["air"].contains("settings"));
  EXPECT_FALSE(result("bearer.get", {{"ue", "10.45.0.1"}})["downlink"].contains("air"));
  EXPECT_TRUE(result("stats.get")["classes"][2]["uplink"]["rlc"]["pdus"].contains("status"));
}

TEST_F(DispatcherTest, ALegOverUmShowsWhatCrossedItsRadioAndItsSettingsWhichChangeInPlace) {
  const auto set = [&](const char* loss) {
    return result("bearer.set", {{"ue", "10.45.0.2"},
                                 {"class", "internet"},
                                 {"downlink", {{"rate", "2M"}, {"link", {{"um", {{"loss", loss}}}}}}}});
  };
  set("3%");
  const Json bearer = result("bearer.get", {{"ue", "10.45.0.2"}});
  EXPECT_EQ(bearer["downlink"]["link"], "um");
  const Json& um = bearer["downlink"]["um"];
  for (const char* count : {"sdus_sent", "sdus_lost", "loss_ratio", "sdus_on_the_way"}) {
    EXPECT_EQ(um[count], 0) << count;
  }
  EXPECT_EQ(um["settings"], (Json{{"loss", "3%"}, {"burst", "1"}, {"delay", "24ms"}, {"seed", 1}}));
  EXPECT_FALSE(bearer["uplink"].contains("um"));
  EXPECT_EQ(set("10%")["changed"], 1);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}})["downlink"]["um"]["settings"]["loss"], "10%");
  result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "1M"}});
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}})["downlink"]["um"]["settings"]["loss"], "10%");
  result("bearer.set", {{"ue", "10.45.0.2"}, {"downlink", {{"link", "shaper"}}}});
  EXPECT_FALSE(result("bearer.get", {{"ue", "10.45.0.2"}})["downlink"].contains("um"));
}

TEST_F(DispatcherTest, ARateOfAnAirIsThatOfBothDirectionsUnlessOneIsNamed) {
  result("bearer.set", {{"ue", "10.45.0.2"}, {"class", "radio"}});
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "128k"}}),
            (Json{{"bearer", "10.45.0.2"},
                  {"changed",
                   {{"downlink", {{"rate", {{"was", "384k"}, {"now", "128k"}}}}},
                    {"uplink", {{"rate", {{"was", "64k"}, {"now", "128k"}}}}}}},
                  {"direction", "both"},
                  {"rate", 128'000},
                  {"was", 384'000},
                  {"uplink_was", 64'000},
                  {"lost", 0}}));
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "256k"}, {"direction", "downlink"}}),
            (Json{{"bearer", "10.45.0.2"},
                  {"changed", {{"downlink", {{"rate", {{"was", "128k"}, {"now", "256k"}}}}}}},
                  {"direction", "downlink"},
                  {"rate", 256'000},
                  {"was", 128'000},
                  {"lost", 0}}));
  const Json bearer = result("bearer.get", {{"ue", "10.45.0.2"}});
  EXPECT_EQ(bearer["downlink"]["rate"], 256'000);
  EXPECT_EQ(bearer["uplink"]["rate"], 128'000);
}

TEST_F(DispatcherTest, ARateThatNoAirCarriesIsRefusedWithTheReasonAndChangesNothing) {
  result("bearer.set", {{"ue", "10.45.0.2"}, {"class", "radio"}});
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "8M"}}), kInvalidParams,
               "64 PDUs a TTI");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "3M"}, {"direction", "uplink"}}),
               kInvalidParams, "uplink: found the rate 3M");
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}})["downlink"]["rate"], 384'000);
}

TEST_F(DispatcherTest, WhatTheMemoryDoesNotHoldIsRefusedWithItsOwnCode) {
  memory = 100'000;
  expect_error(call("bearer.set", {{"ue", "10.45.0.2"}, {"class", "radio"}}), kOutOfMemory, "1 air link 1");
  expect_error(call("bearer.get", {{"ue", "10.45.0.2"}}), kNoSuchBearer, "10.45.0.2");
  expect_error(call("rrc.reconfigure",
                    {{"bearer", "10.45.0.1"}, {"rate", "1M"}, {"aqm", {{"fq-codel", {{"flows", 4096}}}}}}),
               kOutOfMemory, "lower `flows` of fq-codel");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"queue", {{"sfp", {{"flows", 4096}}}}}}),
               kOutOfMemory, "lower `flows` of sfp");
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.1"}})["downlink"]["rate"], 8'000'000);
}

TEST_F(DispatcherTest, ABatchIsCarriedOutInOrderAndNotificationsAreNotAnswered) {
  const Json answers = Json::parse(answer(R"([
    {"jsonrpc":"2.0","id":1,"method":"bearer.set","params":{"ue":"10.60.0.1","class":"voice"}},
    {"jsonrpc":"2.0","method":"rrc.reconfigure","params":{"bearer":"10.60.0.1","rate":"1M"}},
    {"jsonrpc":"2.0","method":"no.such.method"},
    4,
    {"jsonrpc":"2.0","id":"b","method":"bearer.get","params":{"ue":"10.60.0.1"}}])"));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]["id"], 1);
  EXPECT_EQ(answers[1]["error"]["code"], kInvalidRequest);
  EXPECT_EQ(answers[2]["result"]["downlink"]["rate"], 1'000'000);
}

TEST_F(DispatcherTest, NotificationsAloneAreAnsweredWithNothing) {
  EXPECT_EQ(answer(R"({"jsonrpc":"2.0","method":"version"})"), "");
  EXPECT_EQ(answer(R"([{"jsonrpc":"2.0","method":"version"},{"jsonrpc":"2.0","method":"x"}])"), "");
}

TEST_F(DispatcherTest, TextThatIsNoJsonGetsAnErrorWithoutId) {
  const Json json = Json::parse(answer("{nonsense"));
  EXPECT_EQ(json["error"]["code"], kParseError);
  EXPECT_TRUE(json["id"].is_null());
}

TEST_F(DispatcherTest, AConfigurationIsCheckedAndChangesNothing) {
  const Json good = result("config.check", {{"config", kFile}});
  EXPECT_EQ(good["ok"], true);
  const Json bad = result("config.check", {{"config", "version: 1\nclases: {}\n"}});
  EXPECT_EQ(bad["ok"], false);
  ASSERT_FALSE(bad["errors"].empty());
  EXPECT_TRUE(bad["errors"][0].contains("line"));
  EXPECT_EQ(result("config.get")["classes"].size(), 3u);
}

TEST_F(DispatcherTest, StatisticsShowEverySourceAndNoResidue) {
  result("mode.set", {{"mode", "tap"}});
  const Json stats = result("stats.get");
  EXPECT_EQ(stats["mode"], "tap");
  EXPECT_EQ(stats["bearers"]["count"], 1);
  EXPECT_EQ(stats["bearers"]["capacity"], 4096);
  EXPECT_EQ(stats["ports"]["core"]["losses"]["missed"], 1);
  EXPECT_EQ(stats["ports"]["radio"]["dropped"].size(), dp::kDropReasons);
  EXPECT_EQ(stats["workers"].size(), 1u);
  EXPECT_EQ(stats["classes"][0]["name"], "internet");
  EXPECT_EQ(stats["pool"]["buffer_cap"], 900);
  EXPECT_EQ(stats["residue"], 0);
}

}  // namespace
}  // namespace control::rpc
