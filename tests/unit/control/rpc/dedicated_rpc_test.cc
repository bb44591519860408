// Dedicated bearers on the control socket.
#include <string>

#include <gtest/gtest.h>

#include "control/bearers/dedicated.h"
#include "tests/support/rpc_bench.h"

namespace control {
namespace {

const std::string kDedicatedRpcFile = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
  gtp_u: {peers: [192.0.2.0/24]}
classes: {internet: {downlink: {rate: 8M}}, voice: {downlink: {rate: 1M}}, sector: {downlink: {rate: 2M, link: cell}}}
cells: {north: {}, south: {}}
bearers:
  - {ue: 10.45.0.2, class: internet, dedicated: [{qfi: 1, class: voice}, {teid: {uplink: 33}, class: voice}]}
  - {ue: 10.45.0.3, class: internet}
)";

class DedicatedRpcTest : public dp::test::RpcBench {
 protected:
  explicit DedicatedRpcTest(const std::string& file = kDedicatedRpcFile) : RpcBench(file.c_str()) {}

  // Each bearer: its UE, its selector, and its downlink's rate.
  std::string listed() {
    std::string text;
    const Json list = result("bearer.list");
    for (const Json& bearer : list["items"]) {
      text += bearer["ue"].get<std::string>();
      for (const char* key : {"qfi", "teid", "downlink_teid"}) {
        if (bearer.contains(key)) text += std::string(" ") + key + " " + bearer[key].dump();
      }
      text += ": " + bearer["downlink"]["rate"].dump() + "; ";
    }
    return text;
  }
  void expect_refused(const std::string& method, const Json& params, const std::string& words) {
    expect_error(call(method, params), rpc::kInvalidParams, words);
  }
};

TEST_F(DedicatedRpcTest, BearersAreListedUnderTheirUeInPages) {
  const std::string all =
      "10.45.0.2: 8000000; 10.45.0.2 qfi 1: 1000000; 10.45.0.2 teid 33 downlink_teid null: 1000000; "
      "10.45.0.3: 8000000; ";
  EXPECT_EQ(listed(), all);
  Json params{{"limit", 1}};
  std::string names;
  do {
    const Json page = result("bearer.list", params);
    names += page["items"][0]["ue"].get<std::string>() + " ";
    params["cursor"] = page["next"];
  } while (!params["cursor"].is_null());
  EXPECT_EQ(names, "10.45.0.2 10.45.0.2 10.45.0.2 10.45.0.3 ");
}

TEST_F(DedicatedRpcTest, ABearerIsNamedByQfiOrTeidWhereverOneIsNamed) {
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"qfi", 1}, {"rate", "2M"}})["qfi"], 1);
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"teid", "0x21"}, {"rate", "3M"}})["teid"],
            33);
  EXPECT_EQ(listed(),
            "10.45.0.2: 8000000; 10.45.0.2 qfi 1: 2000000; "
            "10.45.0.2 teid 33 downlink_teid null: 3000000; 10.45.0.3: 8000000; ");
  const Json many{"10.45.0.2", {{"bearer", "10.45.0.2"}, {"teid", 33}}, "10.45.0.2 qfi 1"};
  EXPECT_EQ(result("rrc.reconfigure", {{"bearers", many}, {"rate", "4M"}})["changed"], 3);
  EXPECT_EQ(result("rrc.reconfigure", {{"bearers", {"10.45.0.2"}}, {"qfi", 1}, {"rate", "5M"}})["changed"],
            1);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}, {"qfi", 1}})["downlink"]["rate"], 5'000'000);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2 teid 0x21"}})["downlink"]["rate"], 4'000'000);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}})["downlink"]["rate"], 4'000'000);
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.2"}, {"teid", 33}})["followed"], false);
  EXPECT_EQ(result("bearer.move", {{"ue", "10.45.0.2"}, {"qfi", 1}, {"worker", 0}})["qfi"], 1);
  EXPECT_EQ(
      result("cell.report",
             {{"cell", "north"}, {"rates", {{{"ue", "10.45.0.2"}, {"qfi", 1}, {"rate", "1M"}}}}})["unknown"],
      1);
}

TEST_F(DedicatedRpcTest, BearersAreMadeMovedBetweenCellsAndRemoved) {
  const Json made{{"ue", "10.45.0.3"}, {"qfi", 7}, {"class", "sector"}, {"cell", "north"}};
  EXPECT_EQ(result("bearer.set", made)["created"], 1);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.3"}, {"qfi", 7}})["cell"]["name"], "north");
  const Json relocated = result("rrc.relocate", {{"ue", "10.45.0.3"}, {"qfi", 7}, {"cell", "south"}});
  EXPECT_EQ(relocated["qfi"], 7);
  EXPECT_EQ(relocated["was"], "north");
  const Json by_teid{{"ue", "10.45.0.3"}, {"teid", 34}, {"downlink_teid", "0x12"}, {"class", "voice"}};
  EXPECT_EQ(result("bearer.set", by_teid)["created"], 1);
  EXPECT_EQ(result("bearer.set", by_teid)["unchanged"], 1);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.3"}, {"teid", 34}})["downlink_teid"], 0x12);
  EXPECT_EQ(result("bearer.remove", {{"ue", "10.45.0.3"}, {"qfi", 7}})["removed"], 1);
  EXPECT_EQ(result("bearer.remove", {{"ues", {{{"ue", "10.45.0.3"}, {"teid", "34"}}}}})["removed"], 1);
  EXPECT_NE(listed().find("10.45.0.3: 8000000; "), std::string::npos);
}

TEST_F(DedicatedRpcTest, ADefaultBearerTakesTheDedicatedOnesOfItsUeWithIt) {
  EXPECT_EQ(result("bearer.remove", {{"ues", {"10.45.0.2"}}})["removed"], 3);
  EXPECT_EQ(listed(), "10.45.0.3: 8000000; ");
  EXPECT_EQ(result("bearer.remove", {{"ue", "10.45.0.2"}})["removed"], 0);
}

TEST_F(DedicatedRpcTest, ADedicatedBearerNeedsNoDefaultOne) {
  EXPECT_EQ(result("bearer.set", {{"ue", "10.45.0.9"}, {"qfi", 1}, {"class", "voice"}})["created"], 1);
  EXPECT_EQ(result("bearer.set", {{"ue", "10.45.0.9"}, {"class", "internet"}})["created"], 1);
  EXPECT_NE(listed().find("10.45.0.9: 8000000; 10.45.0.9 qfi 1: 1000000; "), std::string::npos);
}

TEST_F(DedicatedRpcTest, AnUnknownOneIsAnsweredWithThoseThatThereAre) {
  expect_error(call("bearer.get", {{"ue", "10.45.0.2"}, {"qfi", 2}}), rpc::kNoSuchBearer,
               "no bearer 10.45.0.2 qfi 2; the dedicated bearers of 10.45.0.2 are qfi 1 or teid 0x21");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.3"}, {"teid", 5}, {"rate", "1M"}}),
               rpc::kNoSuchBearer, "no bearer 10.45.0.3 teid 0x5; 10.45.0.3 has no dedicated bearer");
  expect_error(call("bearer.move", {{"ue", "10.45.0.2"}, {"qfi", 2}, {"worker", 0}}), rpc::kNoSuchBearer,
               "the dedicated bearers of 10.45.0.2 are");
}

TEST_F(DedicatedRpcTest, NamesThatCannotBeAreRefused) {
  const auto get = [](const char* key, const Json& value) { return Json{{"ue", "10.45.0.2"}, {key, value}}; };
  for (const Json& qfi : {Json(64), Json(-1), Json("1"), Json(1.5), Json(nullptr)}) {
    expect_refused("bearer.get", get("qfi", qfi), "qfi: expected an integer from 0 to 63, found ");
  }
  for (const Json& teid : {Json(0), Json(-1), Json(4294967296), Json("0x"), Json("21h"), Json(true)}) {
    expect_refused("bearer.get", get("teid", teid),
                   "teid: expected a TEID from 1 to 0xffffffff, such as 33 or 0x21, found ");
  }
  Json both = get("qfi", 1);
  both["teid"] = 33;
  expect_refused("bearer.get", both, "teid: given beside \"qfi\"");
  expect_refused("bearer.get", {{"ue", "10.45.0.2 qfi 1"}, {"teid", 33}},
                 "teid: given, and \"ue\" names a dedicated bearer already, qfi 1");
  expect_refused("bearer.get", {{"ue", "10.45.0.2 qfi"}},
                 "expected behind the UE the name of a dedicated bearer");
  expect_refused("bearer.remove", {{"ues", {"10.45.0.2"}}, {"qfi", 1}}, "qfi: given beside \"ues\"");
  expect_refused("rrc.reconfigure", {{"class", "voice"}, {"qfi", 1}, {"rate", "1M"}},
                 "qfi: given beside \"class\"");
  expect_refused("tunnel.list", {{"qfi", 1}}, "qfi: given without \"ue\"");
  expect_refused("proxy.drain", {{"all", true}, {"teid", 1}}, "teid: given without \"ue\"");
  EXPECT_EQ(result("bearer.list")["items"].size(), 4u);
}

TEST_F(DedicatedRpcTest, BearersThatCannotBeAreRefused) {
  expect_refused("bearer.set", {{"ue", "10.45.0.3"}, {"qfi", 1}}, "class: missing");
  expect_refused("bearer.set", {{"ue", "10.45.0.3"}, {"downlink_teid", 1}},
                 "downlink_teid: given, but 10.45.0.3 is not a bearer by TEID");
  expect_refused("bearer.set", {{"ue", "10.45.0.2"}, {"qfi", 1}, {"downlink_teid", 1}},
                 "downlink_teid: given, but 10.45.0.2 qfi 1 is not a bearer by TEID");
  Json many = Json::array();
  for (int qfi = 10; qfi < 26; ++qfi) many.push_back({{"ue", "10.45.0.3"}, {"qfi", qfi}, {"class", "voice"}});
  expect_refused("bearer.set", {{"bearers", many}},
                 "10.45.0.3 would have 16 dedicated bearers, at most 15 are possible");
  many.erase(0);
  EXPECT_EQ(result("bearer.set", {{"bearers", many}})["created"], 15);
}

TEST_F(DedicatedRpcTest, ATunnelOfTheDefaultBearerIsToldToTheBearersByQfi) {
  const Json tunnel{{"downlink", {{"endpoint", "192.0.2.11"}, {"teid", 17}, {"qfi", 9}}}};
  EXPECT_EQ(result("bearer.set", {{"ue", "10.45.0.2"}, {"tunnel", tunnel}})["tunnels"]["changed"], 2);
  const auto shown = [&](const Json& params) { return result("bearer.get", params)["downlink"]["tunnel"]; };
  EXPECT_EQ(shown({{"ue", "10.45.0.2"}})["qfi"], 9);
  EXPECT_EQ(shown({{"ue", "10.45.0.2"}, {"qfi", 1}})["qfi"], 1);
  EXPECT_EQ(shown({{"ue", "10.45.0.2"}, {"qfi", 1}})["teid"], 17);
  EXPECT_TRUE(shown({{"ue", "10.45.0.2"}, {"teid", 33}}).is_null());
  const Json all = result("tunnel.list", {{"ue", "10.45.0.2"}});
  ASSERT_EQ(all["items"].size(), 2u);
  EXPECT_TRUE(all["items"][0]["dedicated"].is_null());
  EXPECT_EQ(all["items"][1]["dedicated"], (Json{{"qfi", 1}}));
  const Json one = result("tunnel.list", {{"ue", "10.45.0.2"}, {"limit", 1}});
  EXPECT_EQ(one["next"], "10.45.0.2 downlink");
  const Json next = result("tunnel.list", {{"ue", "10.45.0.2"}, {"limit", 1}, {"cursor", one["next"]}});
  EXPECT_EQ(next["items"][0]["dedicated"], (Json{{"qfi", 1}}));
  EXPECT_TRUE(next["next"].is_null());
  EXPECT_EQ(result("tunnel.list", {{"cursor", "10.45.0.2 qfi 1 uplink"}})["items"].size(), 0u);
  EXPECT_EQ(result("tunnel.list", {{"ue", "10.45.0.2"}, {"qfi", 1}})["items"].size(), 1u);
}

TEST_F(DedicatedRpcTest, ATunnelThatItsBearerCannotHaveIsRefused) {
  const auto down = [](const Json& more) {
    Json one{{"endpoint", "192.0.2.11"}, {"teid", 17}};
    one.update(more);
    return Json{{"downlink", one}};
  };
  expect_refused(
      "bearer.set", {{"ue", "10.45.0.2"}, {"qfi", 1}, {"tunnel", down(Json::object())}},
      "tunnel: given for 10.45.0.2 qfi 1, but bearers by QFI have the tunnel of their UE's default "
      "bearer; give it for 10.45.0.2 without a QFI");
  expect_refused("bearer.set", {{"ue", "10.45.0.2"}, {"tunnel", down({{"qfi", 1}})}},
                 "the tunnel of 10.45.0.2 has the QFI 1, which is that of its dedicated bearer");
  expect_refused(
      "bearer.set",
      {{"ue", "10.45.0.2"},
       {"teid", 33},
       {"tunnel", {{"uplink", {{"endpoint", "192.0.2.11"}, {"teid", 34}}}}}},
      "tunnel.uplink.teid: found 0x22, but the TEID of its uplink names the bearer 10.45.0.2 teid 0x21");
  expect_refused("bearer.set",
                 {{"ue", "10.45.0.2"}, {"teid", 33}, {"downlink_teid", 18}, {"tunnel", down(Json::object())}},
                 "downlink_teid: found 0x12, and the tunnel of the downlink has 0x11; leave this one out");
}

TEST_F(DedicatedRpcTest, TheDownlinkOfABearerByTeidMayGetAnotherTeid) {
  const Json told{{"ue", "10.45.0.2"},
                  {"teid", 33},
                  {"tunnel",
                   {{"downlink", {{"endpoint", "192.0.2.11"}, {"teid", 17}}},
                    {"uplink", {{"endpoint", "192.0.2.1"}, {"teid", 33}}}}}};
  EXPECT_EQ(result("bearer.set", told)["tunnels"]["changed"], 2);
  const Json bearer = result("bearer.get", {{"ue", "10.45.0.2"}, {"teid", 33}});
  EXPECT_EQ(bearer["downlink_teid"], 17);
  EXPECT_EQ(bearer["downlink"]["tunnel"]["teid"], 17);
  EXPECT_EQ(result("bearer.set", {{"ue", "10.45.0.2"}, {"teid", 33}})["unchanged"], 1);
  const Json anew = result("bearer.set", {{"ue", "10.45.0.2"}, {"teid", 33}, {"downlink_teid", 18}});
  EXPECT_EQ(anew["created"], 1) << "it is made anew";
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}, {"teid", 33}})["downlink_teid"], 18);
}

class DedicatedRpcWithoutTunnels : public DedicatedRpcTest {
 protected:
  DedicatedRpcWithoutTunnels()
      : DedicatedRpcTest(
            "version: 1\ndataplane: {ports: {core: {device: \"null\"}, radio: {device: \"null\"}}}\n"
            "classes: {voice: {downlink: {rate: 1M}}}\n") {}
};

TEST_F(DedicatedRpcWithoutTunnels, ANewOneIsRefused) {
  expect_refused("bearer.set", {{"ue", "10.45.0.2"}, {"qfi", 1}, {"class", "voice"}},
                 "ue: found the dedicated bearer 10.45.0.2 qfi 1, but rncd looks into no tunnels");
}

}  // namespace
}  // namespace control
