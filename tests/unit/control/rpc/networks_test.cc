// Networks on the control socket and in the saved state, and a configuration read again that has others.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "config/schema.h"
#include "control/state/saved_state.h"
#include "control/state/state_text.h"
#include "dataplane/bearer/bearer.h"
#include "tests/support/one_connection.h"
#include "tests/support/polled_plane.h"
#include "tests/support/rpc_bench.h"

namespace control {
namespace {

const std::string kNetworksHead = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes: {web: {downlink: {rate: 100M, buffer: {sdus: 500}}, proxy: {split: {window: 32kB}}}}
)";
const std::string kTwoNetworks = kNetworksHead + R"(
networks: {east: {vlans: [100, 101]}, west: {vlans: [200]}}
bearers:
  - {ue: 10.45.0.2, class: web, network: east}
  - {ue: 10.45.0.2, class: web, network: west}
  - {ue: 10.46.0.0/16, class: web, network: west, learn: uplink}
)";
constexpr std::uint32_t kSharedAddress = 0x0a2d0002;  // 10.45.0.2

class NetworkRpcTest : public dp::test::RpcBench {
 protected:
  NetworkRpcTest() : RpcBench(kTwoNetworks.c_str()) {}
};

TEST_F(NetworkRpcTest, AUeIsNamedWithItsNetworkWhereverOneIsNamed) {
  const auto names = [&] {
    std::string text;
    const Json list = result("bearer.list");
    for (const Json& bearer : list["items"]) text += bearer["ue"].get<std::string>() + " ";
    return text;
  };
  EXPECT_EQ(names(), "10.45.0.2@east 10.45.0.2@west ");
  EXPECT_EQ(result("bearer.set", {{"ue", "10.45.0.2"}, {"class", "web"}})["created"], 1);
  EXPECT_EQ(names(), "10.45.0.2 10.45.0.2@east 10.45.0.2@west ");
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2@west"}})["ue"], "10.45.0.2@west");
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.2@east"}, {"rate", "2M"}})["bearer"],
            "10.45.0.2@east");
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2@east"}})["downlink"]["rate"], 2'000'000);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2@west"}})["downlink"]["rate"], 100'000'000);
  EXPECT_EQ(result("rrc.reconfigure",
                   {{"bearers", {"10.45.0.2@west", {{"bearer", "10.45.0.2"}}}}, {"rate", "3M"}})["changed"],
            2);
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.2@west"}})["followed"], true);
  EXPECT_EQ(result("proxy.drain", {{"ue", "10.45.0.2@west"}})["ue"], "10.45.0.2@west");
  const Json page = result("bearer.list", {{"limit", 1}});
  EXPECT_EQ(page["next"], "10.45.0.2");
  const Json next = result("bearer.list", {{"limit", 1}, {"cursor", "10.45.0.2@east"}});
  EXPECT_EQ(next["items"][0]["ue"], "10.45.0.2@west");
  EXPECT_EQ(result("bearer.remove", {{"ues", {"10.45.0.2@east", "10.45.0.2"}}})["removed"], 2);
  EXPECT_EQ(names(), "10.45.0.2@west ");
}

TEST_F(NetworkRpcTest, WhatIsRefusedIsToldWithTheNetwork) {
  expect_error(call("bearer.get", {{"ue", "10.45.0.2@north"}}), rpc::kInvalidParams,
               "ue: found '10.45.0.2@north', expected behind '@' a network that is defined under `networks`: "
               "east or west");
  expect_error(call("bearer.get", {{"ue", "10.45.0.3@west"}}), rpc::kNoSuchBearer,
               "no bearer 10.45.0.3@west");
  expect_error(call("bearer.get", {{"ue", "10.45.0.2"}}), rpc::kNoSuchBearer, "no bearer 10.45.0.2");
}

class NetworkPlaneTest : public PolledPlane {
 protected:
  void start(const std::string& text) {
    runtime = std::make_unique<dp::test::TestRuntime>(4096, 2);
    plane = std::make_unique<DataPlane>(*runtime, config_of(text), 4096);
    begin();
  }
  const Record* record(const char* ue) const {
    const auto read = config::parse_ue(ue, plane->config().networks);
    EXPECT_TRUE(read) << read.error().message;
    return read ? plane->registry().find(*read) : nullptr;
  }
  void reload(const std::string& text) {
    kept.clear();
    EXPECT_EQ(PolledPlane::reload(config_of(text)).why, nullptr);
  }
  // A frame to 10.45.0.2 in that VLAN crosses the bearer's downlink.
  bool crosses(const char* ue, std::uint16_t vlan) {
    const std::uint64_t before = record(ue)->bearer->downlink.buffer().delivered_sdus();
    const std::size_t sent = runtime->io.sent();
    runtime->io.offer(dp::Side::core, {.vlans = {{0x8100, vlan}}});
    EXPECT_TRUE(poll_until([&] { return runtime->io.sent() > sent; }));
    return record(ue)->bearer->downlink.buffer().delivered_sdus() == before + 1;
  }
  // A connection with 2000 octets acknowledged to the server.
  void split(std::uint16_t vlan) {
    const std::uint64_t before = at_risk();
    const std::size_t sent = runtime->io.sent();
    const auto have_left = [&](std::size_t n) {
      return poll_until([&] { return runtime->io.sent() >= sent + n; });
    };
    say(dp::Side::radio, vlan, dp::TcpView::kSyn, 100, 0);
    ASSERT_TRUE(have_left(1));
    say(dp::Side::core, vlan, dp::TcpView::kSyn | dp::TcpView::kAck, 1000, 0);
    ASSERT_TRUE(have_left(2));
    say(dp::Side::radio, vlan, dp::TcpView::kAck, 101, 0);
    ASSERT_TRUE(have_left(3));
    for (const std::uint32_t at : {1001u, 2001u}) say(dp::Side::core, vlan, dp::TcpView::kAck, at, 1000);
    ASSERT_TRUE(poll_until([&] { return at_risk() == before + 2000; }));
    // The handshake, two segments, and their ACK to the server.
    ASSERT_TRUE(have_left(8));
  }
  std::uint64_t at_risk() const {
    return sum([](const auto& split) { return split.at_risk_bytes.get(); });
  }
  std::uint64_t resets() const {
    return sum([](const auto& split) { return split.resets[dp::index(dp::SplitReset::removed)].get(); });
  }

 private:
  template <class F>
  std::uint64_t sum(F f) const {
    std::uint64_t all = 0;
    for (std::size_t w = 0; w < runtime->workers(); ++w) all += f(runtime->shared(w).classes[0].split);
    return all;
  }
  void say(dp::Side side, std::uint16_t vlan, std::uint8_t flags, std::uint32_t seq, std::size_t payload) {
    dp::test::FrameSpec spec = dp::test::segment_from(side, kSharedAddress, "192.0.2.1", flags, seq, payload);
    spec.vlans = {{0x8100, vlan}};
    runtime->io.offer(side, spec);
  }
};

TEST_F(NetworkPlaneTest, TheWorkersHaveTheNetworksFromTheStart) {
  start(kTwoNetworks);
  EXPECT_TRUE(crosses("10.45.0.2@east", 100));
  EXPECT_TRUE(crosses("10.45.0.2@west", 200));
  EXPECT_FALSE(crosses("10.45.0.2@west", 300));
}

TEST_F(NetworkPlaneTest, AReloadMovesAVlanAndEndsItsConnectionsAlone) {
  start(kTwoNetworks);
  split(100);
  split(200);
  std::string text = kTwoNetworks;
  text.replace(text.find("[100, 101]"), 10, "[101]");
  text.replace(text.find("[200]"), 5, "[200, 100]");
  reload(text);
  EXPECT_EQ(resets(), 1u) << "at the latest when the reload is answered";
  EXPECT_EQ(at_risk(), 2000u);
  EXPECT_TRUE(crosses("10.45.0.2@west", 100));
  EXPECT_TRUE(kept.empty());
}

TEST_F(NetworkPlaneTest, NetworksKeepTheirBearersWhateverTheirOrderInTheFile) {
  start(kTwoNetworks);
  const dp::Bearer* const west = record("10.45.0.2@west")->bearer;
  reload(kNetworksHead + R"(
networks: {north: {vlans: [300]}, west: {vlans: [200]}, east: {vlans: [100, 101]}}
bearers:
  - {ue: 10.45.0.2, class: web, network: west}
  - {ue: 10.45.0.2, class: web, network: north}
)");
  EXPECT_EQ(record("10.45.0.2@west")->bearer, west);
  EXPECT_EQ(record("10.45.0.2@east"), nullptr);
  EXPECT_TRUE(crosses("10.45.0.2@north", 300));
  EXPECT_TRUE(crosses("10.45.0.2@west", 200));
  EXPECT_TRUE(kept.empty());
}

TEST_F(NetworkPlaneTest, ANetworkThatTheFileHasNoMoreKeepsItsNameWithoutVlans) {
  start(kTwoNetworks);
  const auto east = *config::parse_ue("10.45.0.3@east", plane->config().networks);
  Wish wish;
  wish.set.push_back({east, plane->bearers().settings_of(0), Origin::socket});
  ASSERT_EQ(apply(wish).why, nullptr);
  reload(kNetworksHead +
         "networks: {west: {vlans: [200]}}\nbearers: [{ue: 10.45.0.2, class: web, network: west}]\n");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_NE(kept[0].find("network east cannot be removed while rncd runs"), std::string::npos) << kept[0];
  EXPECT_EQ(plane->registry().text_of(east), "10.45.0.3@east");
  EXPECT_NE(plane->registry().find(east), nullptr) << "it was set over the socket";
  EXPECT_TRUE(crosses("10.45.0.2@west", 200));
  const auto printed = config::load_text(config::print_config(plane->config()).dump(), "printed");
  ASSERT_TRUE(printed) << config::to_string(printed.problems.front());
  EXPECT_EQ(printed->networks, plane->config().networks);
  reload(kTwoNetworks);
  EXPECT_TRUE(crosses("10.45.0.2@east", 100));
  EXPECT_TRUE(kept.empty());
}

TEST_F(NetworkPlaneTest, MoreNetworksThanThereAreNumbersAreRefusedAsAWhole) {
  start(kTwoNetworks);
  std::string text = kNetworksHead + "networks:\n";
  for (int i = 1; i <= 254; ++i)
    text += "  n" + std::to_string(i) + ": {vlans: [" + std::to_string(i) + "]}\n";
  reload(text);
  ASSERT_FALSE(kept.empty());
  EXPECT_NE(kept.back().find("there would be 256 networks, at most 255 fit"), std::string::npos);
  EXPECT_NE(record("10.45.0.2@east"), nullptr);
  EXPECT_TRUE(crosses("10.45.0.2@east", 100));
}

TEST_F(NetworkPlaneTest, ARuleLearnsInItsNetworkAndCountsThere) {
  start(kTwoNetworks);
  const auto speak = [&](std::uint16_t vlan) {
    const std::size_t sent = runtime->io.sent();
    runtime->io.offer(dp::Side::radio, {.vlans = {{0x8100, vlan}}, .src = dp::test::Ip("10.46.0.9")});
    return poll_until([&] { return runtime->io.sent() > sent; });
  };
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() != 0; }));
  ASSERT_TRUE(speak(100) && speak(200));
  ASSERT_TRUE(poll_until([&] { return record("10.46.0.9@west") != nullptr; }));
  EXPECT_EQ(record("10.46.0.9@east"), nullptr);
  EXPECT_TRUE(plane->bearers().full_rules().empty());
  std::string text = kTwoNetworks;
  text.replace(text.find("learn: uplink"), 13, "learn: uplink, limit: 1");
  reload(text);
  EXPECT_EQ(plane->bearers().full_rules(), std::vector<std::string>{"10.46.0.0/16@west"});
}

TEST_F(NetworkPlaneTest, ASavedStateHasTheNetworkOfEachBearer) {
  start(kTwoNetworks);
  std::string text;
  Slices writing = write_state(*plane, 1, text);
  while (writing.proceed(Slices::Clock::now()) != Progress::done) {
  }
  const std::string path = ::testing::TempDir() + "rncd_networks." + std::to_string(::getpid());
  std::filesystem::remove(path);
  std::ofstream(path) << text;
  const auto state = read_state(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(state) << state.error().message;
  const config::Config next = to_start_with(**state, config_of(kTwoNetworks));
  ASSERT_EQ(next.bearers.size(), 2u);
  std::string names;
  for (const config::Bearer& bearer : next.bearers) names += config::text_of(bearer.ue, next.networks) + " ";
  EXPECT_EQ(names, "10.45.0.2@east 10.45.0.2@west ");
  EXPECT_EQ(config::text_of(next.learn[0].prefix, next.learn[0].network, next.networks), "10.46.0.0/16@west");
  config::Config other = next;
  std::swap(other.bearers[0].ue.network, other.bearers[1].ue.network);
  EXPECT_NE(fingerprint(other), fingerprint(next));
}

}  // namespace
}  // namespace control
