// The key `proxy` of a class: what it becomes, what is refused, what is hinted at, and that what is printed
// loads back.
#include "config/proxy.h"

#include <gtest/gtest.h>

#include "config/help.h"
#include "config/hints.h"
#include "config/json.h"
#include "config/print.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using nlohmann::json;
using std::chrono::milliseconds, std::chrono::minutes, std::chrono::seconds;

Loaded load_proxied(const std::string& keys, const std::string& down = "rate: 1M") {
  return load_text(testing::minimal("classes: {c: {downlink: {" + down + "}, " + keys + "}}\n"), "t");
}
std::optional<dp::SplitConfig> proxy_of(const std::string& keys) {
  const auto config = load_proxied(keys);
  EXPECT_TRUE(config) << testing::all_problems(config);
  return config ? config->classes.at(0).proxy : std::nullopt;
}
void expect_proxy_refused(const std::string& keys, const std::string& path, const std::string& words,
                          const std::string& down = "rate: 1M") {
  const auto config = load_proxied(keys, down);
  const std::string text = testing::all_problems(config);
  EXPECT_EQ(config.problems.size(), 1u) << keys << "\n" << text;
  EXPECT_NE(text.find("classes.c." + path + ": "), std::string::npos) << keys << "\n" << text;
  EXPECT_NE(text.find(words), std::string::npos) << keys << "\n" << text;
}

TEST(Proxy, IsANameAloneWithItsDefaultsOrAMapOfItsSettings) {
  EXPECT_EQ(proxy_of("proxy: split"), dp::SplitConfig{});
  EXPECT_EQ(proxy_of("proxy: none"), std::nullopt);
  EXPECT_EQ(proxy_of("uplink: {link: wire}"), std::nullopt);
  const auto all = proxy_of(
      "proxy: {split: {initial_window: 3, window: 32kB, min_rto: 300ms, congestion: cubic, ack_every: 1, "
      "ack_delay: 100ms, retries: 8, max_flows: 7, store: 256kB, idle: 5min, ports: [80, 443]}}");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->initial_window, 3);
  EXPECT_EQ(all->window, 32'000u);
  EXPECT_EQ(all->min_rto, milliseconds(300));
  EXPECT_EQ(all->congestion, dp::SplitCongestion::cubic);
  EXPECT_EQ(all->ack_every, 1);
  EXPECT_EQ(all->ack_delay, milliseconds(100));
  EXPECT_EQ(all->retries, 8);
  EXPECT_EQ(all->max_flows, 7u);
  EXPECT_EQ(all->store, 256'000u);
  EXPECT_EQ(all->idle, minutes(5));
  EXPECT_TRUE(all->ports.takes(443));
  EXPECT_FALSE(all->ports.takes(8080));
}

TEST(Proxy, PortsAreAListOfFewEachOnceOrAll) {
  EXPECT_TRUE(proxy_of("proxy: {split: {ports: all}}")->ports.takes(1));
  EXPECT_EQ(proxy_of("proxy: {split: {ports: [1, 65535]}}")->ports.count, 2);
  const std::string path = "proxy.split.ports";
  expect_proxy_refused("proxy: {split: {ports: [80, 0]}}", path + "[1]", "a TCP port from 1 to 65535");
  expect_proxy_refused("proxy: {split: {ports: [65536]}}", path + "[0]", "a TCP port from 1 to 65535");
  expect_proxy_refused("proxy: {split: {ports: [http]}}", path + "[0]", "a TCP port from 1 to 65535");
  expect_proxy_refused("proxy: {split: {ports: [80, 443, 80]}}", path + "[2]",
                       "found the port 80 twice; keep one");
  expect_proxy_refused("proxy: {split: {ports: 80}}", path,
                       "all, or a list of at most 16 ports such as [80, 443]");
  expect_proxy_refused("proxy: {split: {ports: []}}", path,
                       "all, or a list of at most 16 ports such as [80, 443]");
  expect_proxy_refused("proxy: {split: {ports: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]}}",
                       path, "found 17 ports, expected at most 16");
}

TEST(Proxy, WhatIsUnknownOrOutOfRangeIsRefusedWithWhatIsTaken) {
  expect_proxy_refused("proxy: spilt", "proxy", "did you mean `split`?");
  expect_proxy_refused("proxy: {pep: {}}", "proxy", "none or split");
  expect_proxy_refused("proxy: [split]", "proxy",
                       "none, split, or a map such as {split: {initial_window: 10}}");
  expect_proxy_refused("proxy: {none: {}}", "proxy", "none or split");
  expect_proxy_refused("proxy: {split: {windows: 3kB}}", "proxy.split", "did you mean `window`?");
  expect_proxy_refused("proxy: {split: {initial_window: 0}}", "proxy.split.initial_window", "1 to 1000");
  expect_proxy_refused("proxy: {split: {congestion: bbr}}", "proxy.split.congestion", "newreno or cubic");
}

TEST(Proxy, AWindowAboveTheStoreIsRefusedWhereItIsGiven) {
  EXPECT_TRUE(proxy_of("proxy: {split: {window: 64kB, store: 64kB}}"));
  const std::string words =
      "in which not one connection could fill its window; lower `window`, or raise `store`";
  expect_proxy_refused("proxy: {split: {window: 1MB}}", "proxy.split.window", words);
  expect_proxy_refused("proxy: {split: {store: 32kB}}", "proxy.split.store", words);
  expect_proxy_refused("proxy: {split: {window: 33kB, store: 32kB}}", "proxy.split.window",
                       "found a `window` of 33kB and a `store` of 32kB");
}

TEST(Proxy, NeedsADownlinkThatBuffersAndNoAckStagesBesideIt) {
  expect_proxy_refused("proxy: split", "proxy", "beside the downlink's link `wire`, which holds nothing back",
                       "link: wire");
  for (const char* uplink : {"uplink: {ack: [ack-rate]}", "uplink: {rate: 64k, ack: [snoop]}"}) {
    expect_proxy_refused(std::string(uplink) + ", proxy: split", "proxy",
                         "keep one of them: `proxy: none`, or `uplink: {ack: []}`");
  }
  expect_proxy_refused("profile: low-delay, proxy: split", "proxy", "beside ACK stages");
  EXPECT_TRUE(proxy_of("profile: low-delay, uplink: {ack: []}, proxy: split"));
  for (const char* down : {"rate: 1M, link: am", "rate: 1M, link: um", "rate: 1M, aqm: codel, queue: sfp",
                           "rate: 1M, aqm: fq-codel"}) {
    const auto config = load_proxied("proxy: split", down);
    EXPECT_TRUE(config) << down << "\n" << testing::all_problems(config);
  }
}

TEST(Proxy, IsMergedAndOverriddenAsOtherKeysAre) {
  const std::string text = testing::minimal(
      "classes: {a: &a {downlink: {rate: 1M}, proxy: {split: {initial_window: 4}}}, b: {<<: *a}}\n");
  const auto flag = [](const char* argument) { return *override_from_flag(argument); };
  const auto config = load_text(text, "t",
                                {flag("classes.a.proxy.split.window=16kB"), flag("dataplane.proxy_store=40%"),
                                 flag("modes.drain_timeout=0s")});
  ASSERT_TRUE(config) << testing::all_problems(config);
  EXPECT_EQ(config->classes[0].proxy->window, 16'000u);
  EXPECT_EQ(config->classes[0].proxy->initial_window, 4);
  EXPECT_EQ(config->classes[1].proxy->initial_window, 4);
  EXPECT_EQ(config->dataplane.proxy_store, 0.4);
  EXPECT_EQ(config->modes.drain_timeout, seconds(0));
  EXPECT_EQ(Config{}.dataplane.proxy_store, 0.25);
  EXPECT_EQ(Config{}.modes.drain_timeout, seconds(5));
}

TEST(Proxy, TheDrainMayTakeTenMinutesAtMost) {
  EXPECT_TRUE(load_text(testing::minimal("modes: {drain_timeout: 10min}\n"), "t"));
  const auto longer = load_text(testing::minimal("modes: {drain_timeout: 11min}\n"), "t");
  EXPECT_NE(testing::all_problems(longer).find("modes.drain_timeout"), std::string::npos);
}

TEST(Proxy, WhatIsPrintedLoadsBack) {
  for (const char* keys : {"proxy: none", "proxy: split", "proxy: {split: {ports: [80, 443], idle: 1min}}"}) {
    const auto config = load_proxied(keys);
    ASSERT_TRUE(config);
    const auto again = load_text(print_config(*config).dump(), "t");
    ASSERT_TRUE(again) << testing::all_problems(again);
    EXPECT_EQ(*again, *config) << keys;
  }
}

dp::BearerSettings shaped_leg() {
  dp::BearerSettings settings;
  settings.downlink.link = dp::ShaperSpec::Config{};
  settings.downlink.rate = 1'000'000;
  return settings;
}

TEST(Proxy, OverTheSocketItIsReplacedAsAWholeAndTakenAway) {
  const auto made = read_settings(json{{"proxy", {{"split", {{"window", "32kB"}, {"ports", {80}}}}}}}, "",
                                  shaped_leg(), {}, nullptr);
  ASSERT_TRUE(made) << testing::all_problems(made);
  EXPECT_EQ(made->proxy->window, 32'000u);
  const auto other =
      read_settings(json{{"proxy", {{"split", {{"initial_window", 3}}}}}}, "", *made, {}, nullptr);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->proxy->window, dp::SplitConfig{}.window);
  const auto kept = read_settings(json{{"downlink", {{"rate", "2M"}}}}, "", *made, {}, nullptr);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->proxy, made->proxy);
  const auto gone = read_settings(json{{"proxy", "none"}}, "", *made, {}, nullptr);
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->proxy, std::nullopt);
}

TEST(Proxy, AChangeOfALegThatLeavesNoPlaceForTheProxyIsRefusedAtThatLeg) {
  auto settings = shaped_leg();
  settings.proxy.emplace();
  const auto wire = read_settings(json{{"downlink", {{"link", "wire"}}}}, "", settings, {}, nullptr);
  EXPECT_NE(testing::all_problems(wire).find("downlink.link: found a proxy"), std::string::npos);
  const auto acks = read_settings(json{{"uplink", {{"ack", {"snoop"}}}}}, "", settings, {}, nullptr);
  EXPECT_NE(testing::all_problems(acks).find("uplink.ack: found a proxy"), std::string::npos);
}

std::vector<std::string> proxy_hints(const std::string& split, const std::string& buffer) {
  const auto config = load_proxied("proxy: {split: {" + split + "}}", "rate: 1M, buffer: {" + buffer + "}");
  EXPECT_TRUE(config) << testing::all_problems(config);
  return config ? hints_of(*config) : std::vector<std::string>{};
}

TEST(Proxy, AFirstFlightThatTheWindowOrTheBufferDoesNotHoldIsHintedAt) {
  EXPECT_TRUE(proxy_hints("", "").empty());
  EXPECT_TRUE(proxy_hints("initial_window: 3, window: 4380", "sdus: 3, bytes: 4500").empty());
  const auto window = proxy_hints("initial_window: 10, window: 14kB", "");
  ASSERT_EQ(window.size(), 1u);
  EXPECT_EQ(window[0].find("classes.c.proxy.split: `window` is 14kB"), 0u) << window[0];
  const auto sdus = proxy_hints("", "sdus: 9");
  ASSERT_EQ(sdus.size(), 1u);
  EXPECT_EQ(sdus[0].find("classes.c.downlink.buffer: holds 9sdu"), 0u) << sdus[0];
  EXPECT_EQ(proxy_hints("", "sdus: 10, bytes: 14999").size(), 1u);
}

TEST(Proxy, TheHelpNamesItsKeys) {
  bool ports = false, window = false;
  for (const HelpRow& row : list_config()) {
    ports = ports || (row.path == "classes.NAME.proxy.split.ports" && row.initial == "all");
    window = window || row.path == "classes.NAME.proxy.split.initial_window";
  }
  EXPECT_TRUE(ports);
  EXPECT_TRUE(window);
}

}  // namespace
}  // namespace config
