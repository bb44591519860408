// Tunnels that `bearer.set` tells (control/rpc/tunnel_params.h).
#include <string>

#include <gtest/gtest.h>

#include "tests/support/rpc_bench.h"

namespace control {
namespace {

const std::string kToldPorts = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
)";
const std::string kToldPeers = R"(
  gtp_u:
    peers: [192.0.2.0/24, "2001:db8:1::/48", {prefix: 198.51.100.0/28, network: blue}]
)";
const std::string kToldRest = R"(
networks: {blue: {}}
classes: {web: {downlink: {rate: 100M}}}
bearers: [{ue: 10.45.0.2, class: web}, {ue: 10.45.0.2, class: web, network: blue}]
)";

class TunnelParamsTest : public dp::test::RpcBench {
 protected:
  TunnelParamsTest() : TunnelParamsTest(kToldPeers) {}
  explicit TunnelParamsTest(const std::string& peers) : RpcBench((kToldPorts + peers + kToldRest).c_str()) {}

  static Json told(const Json& tunnel, const char* ue = "10.45.0.2") {
    return {{"ue", ue}, {"tunnel", tunnel}};
  }
  Json shown(const char* direction, const char* ue = "10.45.0.2") {
    return result("bearer.get", {{"ue", ue}})[direction]["tunnel"];
  }
  void expect_refused(const Json& tunnel, const char* text, const char* ue = "10.45.0.2") {
    expect_error(call("bearer.set", told(tunnel, ue)), rpc::kInvalidParams, text);
  }
};
class TunnelParamsWithoutTunnels : public TunnelParamsTest {
 protected:
  TunnelParamsWithoutTunnels() : TunnelParamsTest("") {}
};

TEST_F(TunnelParamsTest, BothTunnelsOfABearerAreToldAndShown) {
  const Json tunnel{{"downlink", {{"endpoint", "192.0.2.11"}, {"teid", 17}, {"qfi", 9}}},
                    {"uplink", {{"endpoint", "2001:db8:1::7"}, {"teid", 0xffff'ffffu}}}};
  EXPECT_EQ(result("bearer.set", told(tunnel))["tunnels"],
            (Json{{"unchanged", 0}, {"changed", 2}, {"kept", 0}, {"rewritten", 0}, {"sent", 0}}));
  EXPECT_EQ(shown("downlink")["endpoint"], "192.0.2.11");
  EXPECT_EQ(shown("downlink")["teid"], 17);
  EXPECT_EQ(shown("downlink")["qfi"], 9);
  EXPECT_EQ(shown("uplink")["endpoint"], "2001:db8:1::7");
  EXPECT_EQ(shown("uplink")["teid"], 0xffff'ffffu);
  EXPECT_TRUE(shown("uplink")["qfi"].is_null());
  const Json again = result("bearer.set", told(tunnel));
  EXPECT_EQ(again["unchanged"], 1);
  EXPECT_EQ(again["tunnels"]["unchanged"], 2);
}

TEST_F(TunnelParamsTest, ABearerThatIsMadeHasItsTunnelAtOnce) {
  Json params = told({{"downlink", {{"endpoint", "192.0.2.11"}, {"teid", 5}}}}, "10.45.0.9");
  params["class"] = "web";
  const Json answer = result("bearer.set", params);
  EXPECT_EQ(answer["created"], 1);
  EXPECT_EQ(answer["tunnels"]["changed"], 1);
  EXPECT_EQ(shown("downlink", "10.45.0.9")["teid"], 5);
  EXPECT_FALSE(result("bearer.set", {{"ue", "10.45.0.9"}}).contains("tunnels"));
}

TEST_F(TunnelParamsTest, ManyBearersAreToldInOneRequest) {
  Json bearers = Json::array();
  for (int i = 0; i < 600; ++i) {
    const std::string ue = "10.46." + std::to_string(i / 200) + "." + std::to_string(i % 200 + 1);
    bearers.push_back({{"ue", ue},
                       {"class", "web"},
                       {"tunnel", {{"downlink", {{"endpoint", "192.0.2.11"}, {"teid", i + 1}}}}}});
  }
  const Json answer = result("bearer.set", {{"bearers", bearers}});
  EXPECT_EQ(answer["created"], 600);
  EXPECT_EQ(answer["tunnels"]["changed"], 600);
  EXPECT_EQ(shown("downlink", "10.46.2.200")["teid"], 600);
}

TEST_F(TunnelParamsTest, WhatCannotBeIsRefusedAndNothingChanges) {
  const auto down = [](Json one) { return Json{{"downlink", std::move(one)}}; };
  expect_refused(down({{"endpoint", "203.0.113.1"}, {"teid", 1}}),
                 "tunnel.downlink.endpoint: found 203.0.113.1, which is in no prefix of "
                 "dataplane.gtp_u.peers: rncd looks into no tunnel there; name a peer, or add the prefix");
  expect_refused(down({{"endpoint", "192.0.2.0/24"}, {"teid", 1}}),
                 "tunnel.downlink.endpoint: found \"192.0.2.0/24\", expected the address of a tunnel's end, "
                 "such as 192.0.2.11 or 2001:db8:1::11");
  expect_refused(
      down({{"endpoint", "198.51.100.1"}, {"teid", 1}}),
      "tunnel.downlink.endpoint: found a peer whose UEs are in the network blue, and 10.45.0.2 is in "
      "no network; name a peer of its network, or the UE with that network");
  expect_refused(down({{"endpoint", "192.0.2.1"}, {"teid", 0}}),
                 "tunnel.downlink.teid: expected an integer from 1 to 4294967295, found 0");
  expect_refused(down({{"endpoint", "192.0.2.1"}, {"teid", 1}, {"qfi", 64}}),
                 "tunnel.downlink.qfi: expected an integer from 0 to 63, found 64");
  expect_refused(down({{"endpoint", "192.0.2.1"}}), "parameter \"tunnel.downlink.teid\" is missing");
  expect_refused(Json::object(), "tunnel: found neither \"downlink\" nor \"uplink\", expected one or both");
  Json lost = down({{"endpoint", "192.0.2.1"}, {"teid", 1}});
  lost["handover"] = "drop";
  expect_refused(lost, "tunnel.handover: found \"drop\", expected \"keep\", \"rewrite\" or \"send\"");
  EXPECT_TRUE(shown("downlink").is_null());
  EXPECT_EQ(result("bearer.set", told(down({{"endpoint", "198.51.100.1"}, {"teid", 1}}),
                                      "10.45.0.2@blue"))["tunnels"]["changed"],
            1);
}

TEST_F(TunnelParamsTest, ANewBearerOfATunnelsEndIsRefused) {
  expect_error(call("bearer.set", {{"ue", "192.0.2.5"}, {"class", "web"}}), rpc::kInvalidParams,
               "ue: found 192.0.2.5, which is in 192.0.2.0/24 of dataplane.gtp_u.peers, the ends of tunnels; "
               "expected the address of a UE, as it is within the tunnel");
  expect_error(call("bearer.set", {{"ue", "2001:db8:1:7::/64"}, {"class", "web"}}), rpc::kInvalidParams,
               "which is in 2001:db8:1::/48 of dataplane.gtp_u.peers");
}

TEST_F(TunnelParamsTest, TunnelsAreListedInPagesByUeAndByPeer) {
  for (int i = 1; i <= 3; ++i) {
    Json params = told({{"downlink", {{"endpoint", "192.0.2." + std::to_string(i)}, {"teid", i}}},
                        {"uplink", {{"endpoint", "192.0.2.100"}, {"teid", 100 + i}, {"qfi", 9}}}});
    params["ue"] = "10.46.0." + std::to_string(i);
    params["class"] = "web";
    result("bearer.set", params);
  }
  const auto listed = [&](const Json& query) {
    std::string text;
    Json params = query;
    for (;;) {
      const Json page = result("tunnel.list", params);
      for (const Json& one : page["items"]) {
        text += one["ue"].get<std::string>() + " " + one["direction"].get<std::string>()[0] + " " +
                one["endpoint"].get<std::string>() + " " + one["teid"].dump() + "; ";
      }
      if (page["next"].is_null()) return text;
      params["cursor"] = page["next"];
    }
  };
  const std::string all =
      "10.46.0.1 d 192.0.2.1 1; 10.46.0.1 u 192.0.2.100 101; 10.46.0.2 d 192.0.2.2 2; 10.46.0.2 u "
      "192.0.2.100 102; 10.46.0.3 d 192.0.2.3 3; 10.46.0.3 u 192.0.2.100 103; ";
  EXPECT_EQ(listed(Json::object()), all);
  for (const int limit : {1, 2, 3, 5, 6, 7}) EXPECT_EQ(listed({{"limit", limit}}), all) << limit;
  EXPECT_EQ(listed({{"ue", "10.46.0.2"}, {"limit", 1}}),
            "10.46.0.2 d 192.0.2.2 2; 10.46.0.2 u 192.0.2.100 102; ");
  EXPECT_EQ(listed({{"peer", "192.0.2.0/31"}}), "10.46.0.1 d 192.0.2.1 1; ");
  EXPECT_EQ(listed({{"peer", "192.0.2.3"}}), "10.46.0.3 d 192.0.2.3 3; ");
  EXPECT_EQ(listed({{"peer", "2001:db8::/32"}}), "");
  EXPECT_EQ(listed({{"ue", "10.45.0.2"}}), "");
  const Json one = result("tunnel.list", {{"limit", 2}})["items"][1];
  EXPECT_EQ(one["qfi"], 9);
  EXPECT_EQ(one["stale"], false);
  EXPECT_EQ(one["changes"], 0);
  EXPECT_GE(one["since_seconds"], 0);
}

TEST_F(TunnelParamsTest, AListThatCannotBeIsRefused) {
  expect_error(call("tunnel.list", {{"peer", "gnb-7"}}), rpc::kInvalidParams, "peer: ");
  expect_error(call("tunnel.list", {{"ue", "10.99.0.1"}}), rpc::kNoSuchBearer, "no bearer 10.99.0.1");
  for (const char* cursor : {"10.45.0.2", "10.45.0.2 sideways", "downlink", ""}) {
    expect_error(call("tunnel.list", {{"cursor", cursor}}), rpc::kInvalidParams, "cursor: ");
  }
}

TEST_F(TunnelParamsWithoutTunnels, ATunnelIsRefused) {
  expect_refused({{"downlink", {{"endpoint", "192.0.2.11"}, {"teid", 17}}}},
                 "tunnel: given, but rncd looks into no tunnels; set dataplane.gtp_u, or leave it out");
}

}  // namespace
}  // namespace control
