// Split proxies in control: its reports about them, their changes, and draining them before the mode leaves
// `inline` or rncd ends.
#include <thread>

#include "control/rpc/answer.h"
#include "control/workers/drain.h"
#include "tests/unit/control/rpc/flow_rpc_bench.h"

namespace control::rpc {
namespace {

using namespace dp::test;

constexpr const char* kProxyFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
modes: {drain_timeout: 20s}
classes:
  web: {downlink: {rate: 100M, buffer: {sdus: 500}}, proxy: {split: {window: 32kB}}}
  plain: {downlink: {rate: 10M}}
bearers: [{ue: 10.45.0.2, class: web}, {ue: 10.45.0.3, class: plain}]
)";

class ProxyTest : public FlowRpcBench {
 protected:
  ProxyTest() : FlowRpcBench(kProxyFile) {}
  void TearDown() override {
    FlowRpcBench::TearDown();
    EXPECT_EQ(runtime.shared(0).snapshot.read().account.residue(), 0);
  }

  template <class Condition>
  void wait_until(Condition condition) {
    bool met = false;
    for (int i = 0; i < 5000 && !met; ++i) {
      met = condition();
      if (!met) work();
    }
    EXPECT_TRUE(met);
  }
  // A connection with 2000 octets that the proxy has acknowledged to the server, and the UE has not.
  void split() {
    const std::size_t before = runtime.io.sent();
    const auto sent = [&](std::size_t frames) {
      wait_until([&] { return runtime.io.sent() == before + frames; });
    };
    up({.seq = 100, .flags = kSyn, .options = options({mss(1400), scale(7)})});
    sent(1);
    down({.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = options({mss(1460), scale(2)})});
    sent(2);
    up({.seq = 101, .ack = 1001});
    sent(3);
    const std::uint64_t risk = at_risk();
    for (std::uint32_t i = 0; i < 2; ++i) down({.seq = 1001 + 1000 * i, .ack = 101, .payload = 1000});
    wait_until([&] { return at_risk() == risk + 2000; });
  }
  void ue_has_all() { up({.seq = 101, .ack = 3001}); }

  std::uint64_t at_risk() { return plane.modes().drain().at_risk(); }
  Json web() {
    const Json shown = result("proxy.show");
    EXPECT_EQ(shown["items"].size(), 1u) << shown;
    return shown["items"].empty() ? Json() : shown["items"][0];
  }
  Json mode() { return result("stats.get")["mode"]; }

  // A request whose answer the test does not wait for.
  struct Asked {
    std::shared_ptr<void> work;
    std::string line;
    bool done = false;
    Json json() const { return Json::parse(line); }
  };
  std::unique_ptr<Asked> ask(const std::string& method, const Json& params) {
    auto asked = std::make_unique<Asked>();
    const Json request{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
    asked->work = dispatcher.handle(request.dump(), {1, 2}, [to = asked.get()](std::string text) {
      to->line = std::move(text);
      to->done = true;
    });
    return asked;
  }
  // Requests the mode, and waits until draining for it has begun.
  std::unique_ptr<Asked> ask_mode(const char* mode) {
    auto asked = ask("mode.set", {{"mode", mode}});
    wait_until([&] { return plane.modes().drain().under_way(); });
    return asked;
  }
};

TEST_F(ProxyTest, IsShownByClassWithWhatItHas) {
  Json shown = web();
  EXPECT_EQ(shown["name"], "web");
  EXPECT_EQ(shown["flows"], (Json{{"split", 0}, {"drain", 0}}));
  split();
  shown = web();
  EXPECT_EQ(shown["flows"], (Json{{"split", 1}, {"drain", 0}}));
  EXPECT_EQ(shown["stored_bytes"], 2000);
  EXPECT_EQ(shown["at_risk_bytes"], 2000);
  EXPECT_EQ(shown["acked_bytes"], 2000);
  EXPECT_EQ(shown["resets"]["removed"], 0);
  EXPECT_EQ(shown["unsplit"]["sealed"], 0);
  EXPECT_EQ(result("proxy.show")["mode_drain"], nullptr);
  ue_has_all();
  wait_until([&] { return web()["stored_bytes"] == 0; });
  EXPECT_EQ(web()["at_risk_bytes"], 0);
}

TEST_F(ProxyTest, AFlowIsListedWithWhatTheProxyHasOfIt) {
  split();
  const Json page = result("flow.list", {{"ue", "10.45.0.2"}});
  ASSERT_EQ(page["items"].size(), 1u) << page;
  const Json proxy = page["items"][0]["proxy"];
  EXPECT_EQ(proxy["state"], "split");
  EXPECT_EQ(proxy["stored_bytes"], 2000);
  EXPECT_EQ(proxy["at_risk_bytes"], 2000);
  EXPECT_GT(proxy["cwnd_bytes"], 1400);
  EXPECT_EQ(page["followed"], true);
  EXPECT_EQ(result("flow.list", {{"ue", "10.45.0.3"}})["followed"], false);
}

TEST_F(ProxyTest, TheModeWaitsUntilNothingIsAtRiskAndTheLoopGoesOn) {
  split();
  const auto asked = ask_mode("bypass");
  for (int i = 0; i < 50; ++i) work();
  EXPECT_FALSE(asked->done);
  EXPECT_EQ(mode(), "inline");
  EXPECT_EQ(web()["flows"], (Json{{"split", 0}, {"drain", 1}}));
  EXPECT_GT(result("proxy.show")["mode_drain"]["seconds_left"], 10.0);
  EXPECT_EQ(result("bearer.set", {{"ue", "10.45.0.7"}, {"class", "plain"}})["created"], 1) << "others go on";
  ue_has_all();
  poll_until(asked->done);
  const Json told = asked->json()["result"];
  EXPECT_EQ(told["mode"], "bypass");
  EXPECT_EQ(told["was"], "inline");
  EXPECT_EQ(told["drained"]["at_risk_before"], 2000);
  EXPECT_EQ(told["drained"]["at_risk_after"], 0);
  EXPECT_EQ(told["drained"]["reset"], 0);
  EXPECT_GT(told["drained"]["seconds"], 0.0);
  EXPECT_EQ(mode(), "bypass");
}

TEST_F(ProxyTest, NothingAtRiskLetsTheModeChangeAtOnce) {
  split();
  ue_has_all();
  wait_until([&] { return at_risk() == 0; });
  const Json told = result("mode.set", {{"mode", "tap"}});
  EXPECT_EQ(told["drained"]["at_risk_before"], 0);
  EXPECT_EQ(told["drained"]["reset"], 0);
  EXPECT_EQ(result("mode.set", {{"mode", "bypass"}})["drained"], nullptr) << "tap splits nothing";
}

TEST_F(ProxyTest, NowResetsWhatIsAtRisk) {
  split();
  const Json told = result("mode.set", {{"mode", "bypass"}, {"now", true}});
  EXPECT_EQ(told["drained"]["reset"], 1);
  EXPECT_EQ(told["drained"]["at_risk_before"], 2000);
  EXPECT_EQ(told["drained"]["at_risk_after"], 2000);
  EXPECT_EQ(mode(), "bypass");
  EXPECT_EQ(at_risk(), 0u);
  EXPECT_EQ(web()["resets"]["removed"], 1);
}

TEST_F(ProxyTest, AChangeOfClassCountsItsResetsForTheClassThatTheConnectionsHad) {
  split();
  result("bearer.set", {{"ue", "10.45.0.2"}, {"class", "plain"}});
  EXPECT_EQ(at_risk(), 0u);
  EXPECT_EQ(web()["resets"]["removed"], 1);
}

TEST_F(ProxyTest, WhatWasCountedStaysWhereNoProxyIsLeft) {
  result("bearer.set",
         {{"ue", "10.45.0.2"}, {"class", "plain"}, {"proxy", {{"split", {{"window", "32kB"}}}}}});
  split();
  result("bearer.set", {{"ue", "10.45.0.2"}, {"proxy", "none"}});
  const Json classes = result("proxy.show")["items"];
  ASSERT_EQ(classes.size(), 2u) << classes;
  EXPECT_EQ(classes[1]["name"], "plain");
  EXPECT_EQ(classes[1]["resets"]["removed"], 1);
}

TEST_F(ProxyTest, ASecondModeIsRefusedWhileTheFirstIsDrainedFor) {
  split();
  const auto asked = ask_mode("bypass");
  expect_error(call("mode.set", {{"mode", "tap"}}), kDraining,
               "the mode is about to be bypass: split proxies have 2000 octets at risk");
  EXPECT_FALSE(asked->done);
  ue_has_all();
  poll_until(asked->done);
  EXPECT_EQ(mode(), "bypass");
}

TEST_F(ProxyTest, AskedForAgainWithNowTheWaitingOneGoesFirst) {
  split();
  const auto asked = ask_mode("bypass");
  EXPECT_EQ(result("mode.set", {{"mode", "tap"}, {"now", true}})["was"], "bypass");
  ASSERT_TRUE(asked->done);
  EXPECT_EQ(asked->json()["result"]["drained"]["reset"], 1);
  EXPECT_EQ(asked->json()["result"]["drained"]["at_risk_after"], 2000);
  EXPECT_EQ(mode(), "tap");
}

TEST_F(ProxyTest, AskingForTheModeInForceEndsTheDrain) {
  split();
  const auto asked = ask_mode("bypass");
  EXPECT_EQ(result("mode.set", {{"mode", "inline"}})["was"], "inline");
  ASSERT_TRUE(asked->done);
  expect_error(asked->json(), kInternalError, "mode inline was asked for meanwhile, and stays");
  wait_until([&] { return web()["flows"] == Json({{"split", 1}, {"drain", 0}}); });
  EXPECT_EQ(at_risk(), 2000u);
  EXPECT_EQ(mode(), "inline");
}

TEST_F(ProxyTest, BackInInlineTheySplitAgain) {
  result("mode.set", {{"mode", "bypass"}});
  result("mode.set", {{"mode", "inline"}});
  split();
  EXPECT_EQ(web()["flows"], (Json{{"split", 1}, {"drain", 0}}));
}

TEST_F(ProxyTest, BlockDoesNotWait) {
  split();
  EXPECT_EQ(result("mode.set", {{"mode", "block"}})["drained"], nullptr);
  EXPECT_EQ(at_risk(), 2000u) << "it is kept";
  result("mode.set", {{"mode", "inline"}});
  ue_has_all();
  wait_until([&] { return at_risk() == 0; });
}

TEST_F(ProxyTest, AReloadThatChangesTheModeDrainsFirst) {
  split();
  std::string text = kProxyFile;
  text.replace(text.find("{ports"), 1, "{mode: bypass, ");
  const auto file = config::load_text(text, "t");
  ASSERT_TRUE(file);
  bool done = false;
  plane.reloader().reload(
      *file, [](const std::string&) {},
      [&](const Ended<Applied>& ended) {
        EXPECT_EQ(ended.why, nullptr);
        done = true;
      });
  wait_until([&] { return plane.modes().drain().under_way(); });
  for (int i = 0; i < 20; ++i) work();
  EXPECT_FALSE(done);
  expect_error(call("mode.set", {{"mode", "tap"}}), kDraining, "the mode is about to be what the file says");
  ue_has_all();
  poll_until(done);
  EXPECT_EQ(mode(), "bypass");
  EXPECT_EQ(web()["resets"]["removed"], 0);
}

TEST_F(ProxyTest, BeforeTheEndTheyAreDrained) {
  split();
  const auto asked = ask_mode("bypass");
  std::optional<Drained> sent;
  plane.modes().leave([&](const Drained& drained) { sent = drained; });
  poll_until(asked->done);
  expect_error(asked->json(), kInternalError, "rncd is stopping");
  for (int i = 0; i < 20; ++i) work();
  EXPECT_FALSE(sent);
  ue_has_all();
  wait_until([&] { return sent.has_value(); });
  EXPECT_EQ(sent->before, 2000u);
  EXPECT_EQ(sent->after, 0u);
  std::optional<std::uint64_t> resets;
  plane.modes().flush([&](std::uint64_t count) { resets = count; });
  wait_until([&] { return resets.has_value(); });
  EXPECT_EQ(resets, 0u);
}

TEST_F(ProxyTest, WhoAsksTwiceForTheEndDoesNotWait) {
  split();
  std::optional<Drained> sent;
  plane.modes().leave([&](const Drained& drained) { sent = drained; });
  wait_until([&] { return web()["flows"]["drain"] == 1; });
  EXPECT_FALSE(sent);
  plane.modes().hurry_leave();
  wait_until([&] { return sent.has_value(); });
  EXPECT_EQ(sent->after, 2000u);
  std::optional<std::uint64_t> resets;
  plane.modes().flush([&](std::uint64_t count) { resets = count; });
  wait_until([&] { return resets.has_value(); });
  EXPECT_EQ(resets, 1u);
}

TEST_F(ProxyTest, AClassABearerOrAllAreDrainedAndSplitAgain) {
  split();
  for (const Json& whom : {Json{{"class", "web"}}, Json{{"ue", "10.45.0.2"}}, Json{{"all", true}}}) {
    const Json told = result("proxy.drain", whom);
    EXPECT_EQ(told["draining"], true);
    EXPECT_EQ(told.contains("at_risk_bytes"), !whom.contains("ue"));
    EXPECT_EQ(told.value("at_risk_bytes", 2000), 2000);
    EXPECT_EQ(web()["flows"], (Json{{"split", 0}, {"drain", 1}})) << whom;
    Json off = whom;
    off["off"] = true;
    EXPECT_EQ(result("proxy.drain", off)["draining"], false);
    EXPECT_EQ(web()["flows"], (Json{{"split", 1}, {"drain", 0}})) << whom;
  }
  result("proxy.drain", {{"ue", "10.45.0.2"}});
  ue_has_all();
  wait_until([&] { return web()["flows"] == Json({{"split", 0}, {"drain", 0}}); });
  EXPECT_EQ(web()["resets"]["removed"], 0);
}

TEST_F(ProxyTest, WhatCannotBeDrainedIsRefused) {
  expect_error(call("proxy.drain"), kInvalidParams, "expected one of \"class\", \"ue\" and \"all\"");
  expect_error(call("proxy.drain", {{"all", true}, {"class", "web"}}), kInvalidParams, "expected one of");
  expect_error(call("proxy.drain", {{"class", "wep"}}), kInvalidParams, "did you mean `web`?");
  expect_error(call("proxy.drain", {{"class", "plain"}}), kInvalidParams,
               "neither class plain nor a bearer of it has a proxy");
  expect_error(call("proxy.drain", {{"ue", "10.45.0.3"}}), kInvalidParams, "10.45.0.3 has no proxy");
  expect_error(call("proxy.drain", {{"ue", "10.45.0.9"}}), kNoSuchBearer, "no bearer 10.45.0.9");
  expect_error(call("proxy.drain", {{"all", 1}}), kInvalidParams, "expected true or false");
  result("mode.set", {{"mode", "tap"}});
  expect_error(call("proxy.drain", {{"all", true}, {"off", true}}), kDraining, "the mode is tap");
}

TEST_F(ProxyTest, LiveKeysChangeInPlaceAndOthersMakeAnotherProxy) {
  split();
  const Json live =
      result("rrc.reconfigure",
             {{"bearer", "10.45.0.2"}, {"proxy", {{"split", {{"window", "32kB"}, {"initial_window", 3}}}}}});
  EXPECT_EQ(live["changed"], (Json{{"proxy", {{"initial_window", {{"was", 10}, {"now", 3}}}}}}));
  EXPECT_EQ(web()["flows"]["split"], 1) << "it goes on";
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}})["proxy_settings"]["initial_window"], 3);
  result("bearer.set", {{"ue", "10.45.0.2"}, {"proxy", {{"split", {{"window", "16kB"}}}}}});
  EXPECT_EQ(web()["flows"]["split"], 0);
  EXPECT_EQ(web()["resets"]["removed"], 1);
  const Json gone = result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"proxy", "none"}});
  EXPECT_EQ(gone["changed"]["proxy"]["split"]["now"], nullptr);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.2"}})["proxy"], nullptr);
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"proxy", "spilt"}}), kInvalidParams,
               "did you mean `split`?");
}

TEST_F(ProxyTest, ABearerMayHaveOneThatItsClassHasNot) {
  EXPECT_EQ(result("proxy.show")["items"].size(), 1u);
  result("bearer.set", {{"ue", "10.45.0.3"}, {"proxy", "split"}});
  EXPECT_EQ(result("proxy.show")["items"].size(), 2u);
  EXPECT_EQ(result("proxy.drain", {{"class", "plain"}})["draining"], true);
  result("bearer.remove", {{"ue", "10.45.0.3"}});
  EXPECT_EQ(result("proxy.show")["items"].size(), 1u);
}

TEST_F(ProxyTest, OneThatIsRemovedResetsWhatIsAtRisk) {
  split();
  result("bearer.remove", {{"ue", "10.45.0.2"}});
  EXPECT_EQ(web()["flows"], (Json{{"split", 0}, {"drain", 0}}));
  EXPECT_EQ(web()["resets"]["removed"], 1);
}

// Against a worker that the test plays.
class DrainTest : public ::testing::Test {
 protected:
  void TearDown() override { runtime.stop(); }
  std::optional<bool> told() {
    sender.poll();
    dp::Command command;
    if (!mailbox->commands.pop(command)) return std::nullopt;
    EXPECT_TRUE(mailbox->answers.push({.sequence = command.sequence}));
    sender.poll();
    return std::get<dp::DrainProxies>(command.body).on;
  }
  dp::ClassSplitCounters& counters(std::size_t cls) { return runtime.shared(0).classes[cls].split; }

  TestRuntime runtime;
  std::unique_ptr<dp::Mailbox> mailbox = std::make_unique<dp::Mailbox>();
  CommandSender sender{{mailbox.get()}, [](dp::Bearer&) {}};
  Drain drain{runtime, sender};
  std::optional<Drained> ended;
  Drain::Clock::time_point begin(std::chrono::milliseconds bound) {
    drain.begin(bound, [this](const Drained& drained) { ended = drained; });
    return Drain::Clock::now();
  }
};

TEST_F(DrainTest, IsOverWhenTheWorkersHaveHeardAndNothingOfAnyClassIsAtRisk) {
  counters(0).at_risk_bytes.add(5);
  counters(7).at_risk_bytes.add(6);
  const auto now = begin(std::chrono::seconds(10));
  counters(0).at_risk_bytes.sub(5);
  counters(7).at_risk_bytes.sub(6);
  drain.poll(now);
  EXPECT_FALSE(ended) << "the worker may be splitting another";
  EXPECT_EQ(told(), true);
  drain.poll(now);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->before, 11u);
  EXPECT_EQ(ended->after, 0u);
  EXPECT_FALSE(drain.under_way());
}

TEST_F(DrainTest, IsOverWhenItsTimeIsUpEvenIfNobodyHasHeard) {
  counters(0).at_risk_bytes.add(5);
  const auto now = begin(std::chrono::seconds(10));
  drain.poll(now + std::chrono::seconds(9));
  EXPECT_FALSE(ended);
  drain.poll(now + std::chrono::seconds(11));
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->after, 5u);
}

TEST_F(DrainTest, TellsAgainWhoHasComeMeanwhile) {
  counters(0).at_risk_bytes.add(5);
  const auto now = begin(std::chrono::seconds(10));
  EXPECT_EQ(told(), true);
  drain.poll(now);
  EXPECT_EQ(told(), std::nullopt);
  drain.poll(now + std::chrono::milliseconds(200));
  EXPECT_EQ(told(), true);
}

TEST_F(DrainTest, ReleasesOnlyWhatItHasDrained) {
  drain.release();
  EXPECT_EQ(told(), std::nullopt);
  begin(std::chrono::seconds(10));
  EXPECT_EQ(told(), true);
  drain.drop();
  drain.release();
  EXPECT_EQ(told(), false);
  drain.release();
  EXPECT_EQ(told(), std::nullopt);
}

}  // namespace
}  // namespace control::rpc
