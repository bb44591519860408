// Prefixes that the wire's short-cut must leave to rncd, and the conditions under which it may be used.
#include <functional>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "control/plane/shortcut_keeper.h"
#include "dataplane/bearer/bearer.h"
#include "tests/support/polled_plane.h"

namespace control {
namespace {

using dp::Shortcut;
using Taken = std::vector<Shortcut>;
using Prefixes = std::set<dp::Prefix>;

dp::UeAddress ue_of(const std::string& text) { return *dp::parse_ue(text); }
dp::Prefix prefix(const std::string& text) { return *dp::parse_prefix(text); }
Prefixes prefixes(const std::vector<std::string>& texts) {
  Prefixes all;
  for (const std::string& text : texts) all.insert(prefix(text));
  return all;
}
std::vector<config::Learn> rules(const std::vector<std::string>& texts) {
  std::vector<config::Learn> all;
  for (const std::string& text : texts) all.push_back({.prefix = prefix(text)});
  return all;
}

// Keeps what the kernel would be given.
struct FakeWay final : dp::WireShortcut {
  dp::Status take(Shortcut which) override {
    taken.push_back(which);
    if (on_take) on_take(which);
    return dp::ok();
  }
  dp::Status add(const dp::Prefix& ues) override {
    if (set.size() >= room) return dp::Error{"no room"};
    set.insert(ues);
    return dp::ok();
  }
  dp::Status remove(const dp::Prefix& ues) override {
    set.erase(ues);
    return dp::ok();
  }
  dp::Result<bool> clear(std::size_t most) override {
    while (most-- > 0 && !set.empty()) set.erase(set.begin());
    return !set.empty();
  }

  Prefixes set;
  Taken taken;
  std::size_t room = ~std::size_t{0};
  std::function<void(Shortcut)> on_take;
};

TEST(PrefixSet, CoversWhoLiesWhollyInOneOfItsPrefixes) {
  const PrefixSet set(rules({"10.45.0.0/16", "10.46.0.7/32", "2001:db8:1::/48", "2001:db8:2:3::/96"}));
  for (const char* covered :
       {"10.45.200.1", "10.46.0.7", "2001:db8:1:9::/64", "2001:db8:1::7", "2001:db8:2:3::7"}) {
    EXPECT_TRUE(set.covers(ue_of(covered))) << covered;
  }
  for (const char* not_covered :
       {"10.44.255.255", "10.46.0.8", "2001:db8:3::/64", "2001:db8:2:3::/64", "2001:db8:2:3:1::7"}) {
    EXPECT_FALSE(set.covers(ue_of(not_covered))) << not_covered;
  }
  EXPECT_TRUE(PrefixSet(rules({"0.0.0.0/0"})).covers(ue_of("10.44.0.1")));
  EXPECT_FALSE(PrefixSet(rules({"0.0.0.0/0"})).covers(ue_of("2001:db8::1")));
  EXPECT_FALSE(PrefixSet().covers(ue_of("10.44.0.1")));
}

class ShortcutKeeperTest : public ::testing::Test {
 protected:
  void insert(const std::string& text) {
    registry.insert(ue_of(text), {dp::BearerSettings{}, Origin::socket, nullptr});
  }
  void step() { keeper.poll(Slices::Clock::now()); }
  void finish() {
    while (keeper.ready()) step();
  }

  FakeWay way;
  BearerRegistry registry;
  ShortcutKeeper keeper{&way, registry};
};

TEST_F(ShortcutKeeperTest, WhatIsFromBeforeGoesAndStrangersWaitUntilTheSetIsThere) {
  for (std::uint32_t n = 0; n < 100; ++n) (void)way.add({.length = 32, .lo = n});
  insert("10.45.0.2");
  insert("10.46.0.2");
  insert("2001:db8:0:2::/64");
  keeper.configure(Shortcut::strangers, rules({"10.46.0.0/16"}));
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed}));
  while (keeper.ready()) {
    EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed}));
    step();
  }
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32", "10.46.0.0/16", "2001:db8:0:2::/64"}));
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed, Shortcut::strangers}));
  EXPECT_EQ(keeper.in_force(), Shortcut::strangers);
}

TEST_F(ShortcutKeeperTest, BearersThatComeAndGoWhileTheSetIsMadeAreInItOrNot) {
  for (std::uint32_t steps = 0; steps < 40; ++steps) {
    SCOPED_TRACE(steps);
    FakeWay fresh;
    BearerRegistry bearers;
    ShortcutKeeper made(&fresh, bearers);
    for (std::uint32_t n = 0; n < 200; ++n) (void)fresh.add({.length = 32, .lo = n});
    const auto add = [&](const char* text) {
      bearers.insert(ue_of(text), {dp::BearerSettings{}, Origin::socket, nullptr});
    };
    for (const char* text : {"10.45.0.2", "10.45.0.4", "10.45.0.6", "10.46.0.2"}) add(text);
    made.configure(Shortcut::strangers, rules({"10.46.0.0/16"}));
    for (std::uint32_t n = 0; n < steps; ++n) made.poll(Slices::Clock::now());
    add("10.45.0.1");
    add("10.45.0.5");
    add("10.46.0.3");
    bearers.announce(ue_of("10.45.0.8"));
    bearers.announce(ue_of("10.45.0.9"));
    bearers.withdraw(ue_of("10.45.0.9"));
    for (const char* text : {"10.45.0.2", "10.45.0.6", "10.46.0.2"}) bearers.erase(ue_of(text));
    while (made.ready()) made.poll(Slices::Clock::now());
    EXPECT_EQ(fresh.set,
              prefixes({"10.45.0.1/32", "10.45.0.4/32", "10.45.0.5/32", "10.45.0.8/32", "10.46.0.0/16"}));
    EXPECT_EQ(made.in_force(), Shortcut::strangers);
  }
}

// The set knows no networks.
TEST_F(ShortcutKeeperTest, AnAddressIsInTheSetWhileAUeOfAnyNetworkHasIt) {
  keeper.configure(Shortcut::strangers, {});
  finish();
  const dp::UeAddress none = ue_of("10.45.0.2"), east = dp::ue_ipv4(0x0a2d0002, 1),
                      west = dp::ue_ipv4(0x0a2d0002, 2);
  const Record record{dp::BearerSettings{}, Origin::socket, nullptr};
  registry.insert(none, record);
  registry.insert(east, record);
  registry.erase(none);
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32"}));
  registry.announce(west);
  registry.erase(east);
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32"})) << "the third is about to get a bearer";
  registry.insert(west, record);
  registry.announce(east);
  registry.withdraw(east);
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32"}));
  registry.erase(west);
  EXPECT_TRUE(way.set.empty());
}

TEST_F(ShortcutKeeperTest, OnlyStrangersNeedTheSet) {
  insert("10.45.0.2");
  keeper.configure(Shortcut::none, rules({"10.46.0.0/16"}));
  finish();
  EXPECT_TRUE(way.taken.empty() && way.set.empty());
  keeper.configure(Shortcut::unparsed, rules({"10.46.0.0/16"}));
  EXPECT_FALSE(keeper.ready());
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed}));
  keeper.configure(Shortcut::strangers, rules({"10.46.0.0/16"}));
  finish();
  EXPECT_EQ(way.set.size(), 2u);
  keeper.configure(Shortcut::none, rules({"10.46.0.0/16"}));
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed, Shortcut::strangers, Shortcut::none}));
  finish();
  insert("10.45.0.3");
  EXPECT_TRUE(way.set.empty()) << "the memory is the kernel's again";
}

TEST_F(ShortcutKeeperTest, OtherRulesMakeTheSetAnewAndTheSameLeaveItAlone) {
  insert("10.45.0.2");
  insert("10.46.0.2");
  keeper.configure(Shortcut::strangers, rules({"10.46.0.0/16"}));
  finish();
  keeper.configure(Shortcut::strangers, rules({"10.46.0.0/16"}));
  EXPECT_FALSE(keeper.ready());
  way.taken.clear();
  keeper.configure(Shortcut::strangers, rules({"10.45.0.2/32"}));
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed})) << "before anybody leaves the set";
  finish();
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32", "10.46.0.2/32"}));
  registry.erase(ue_of("10.45.0.2"));
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32", "10.46.0.2/32"})) << "the rule's";
  registry.erase(ue_of("10.46.0.2"));
  EXPECT_EQ(way.set, prefixes({"10.45.0.2/32"}));
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed, Shortcut::strangers}));
}

TEST_F(ShortcutKeeperTest, ASetThatIsFullSendsStrangersToTheWorkersUntilItIsMadeAnew) {
  keeper.configure(Shortcut::strangers, {});
  finish();
  way.room = 2;
  insert("10.45.0.1");
  insert("10.45.0.2");
  EXPECT_EQ(keeper.in_force(), Shortcut::strangers);
  insert("10.45.0.3");
  EXPECT_EQ(keeper.in_force(), Shortcut::unparsed);
  registry.erase(ue_of("10.45.0.3"));
  EXPECT_EQ(keeper.in_force(), Shortcut::unparsed);
  keeper.configure(Shortcut::strangers, {});
  finish();
  EXPECT_EQ(keeper.in_force(), Shortcut::strangers);
  way.room = 1;
  keeper.configure(Shortcut::strangers, rules({"10.46.0.0/16"}));
  finish();
  EXPECT_EQ(keeper.in_force(), Shortcut::unparsed) << "while it is filled, too";
}

TEST_F(ShortcutKeeperTest, NothingTakesItFromBeforeBlockUntilAfterIt) {
  keeper.configure(Shortcut::unparsed, {});
  finish();
  keeper.entering(dp::Mode::block);
  EXPECT_EQ(way.taken.back(), Shortcut::none);
  keeper.entered(dp::Mode::block);
  keeper.configure(Shortcut::strangers, {});
  finish();
  keeper.entering(dp::Mode::tap);
  EXPECT_EQ(way.taken.back(), Shortcut::none) << "some workers may still drop";
  keeper.entered(dp::Mode::tap);
  EXPECT_EQ(way.taken, (Taken{Shortcut::unparsed, Shortcut::none, Shortcut::strangers}));
  for (const dp::Mode mode : {dp::Mode::bypass, dp::Mode::inline_, dp::Mode::tap}) {
    keeper.entering(mode);
    keeper.entered(mode);
  }
  EXPECT_EQ(way.taken.size(), 3u);
}

constexpr const char* kStrangersFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}, wire: {shortcut: strangers}}
classes:
  internet: {downlink: {rate: 8M}}
bearers:
  - {ue: 10.45.0.1, class: internet}
  - {ue: 10.46.0.0/16, class: internet, learn: true}
)";

class ShortcutPlaneTest : public PolledPlane {
 protected:
  ShortcutPlaneTest() {
    runtime = std::make_unique<dp::test::TestRuntime>();
    runtime->shortcut_way = &way;
    (void)way.add(prefix("10.99.0.0/16"));
    plane = std::make_unique<DataPlane>(*runtime, config_of(kStrangersFile), 4096);
    begin();
    EXPECT_TRUE(poll_until([&] { return plane->modes().shortcut() == Shortcut::strangers; }));
  }
  ~ShortcutPlaneTest() override {
    EXPECT_EQ(kept, std::vector<std::string>());
    plane.reset();  // before `way`, which it uses
  }

  void apply(const Wish& wish) { EXPECT_TRUE(PolledPlane::apply(wish).done.has_value()); }
  void reload(const std::string& text) { EXPECT_TRUE(PolledPlane::reload(config_of(text)).done.has_value()); }
  static std::string with(std::string text, const std::string& was, const std::string& is) {
    return text.replace(text.find(was), was.size(), is);
  }
  SharedSettings settings() { return plane->bearers().settings_of(0); }

  FakeWay way;
};

TEST_F(ShortcutPlaneTest, TheSetHasTheRulesAndTheBearersOutsideOfThem) {
  EXPECT_EQ(way.set, prefixes({"10.45.0.1/32", "10.46.0.0/16"}));
  runtime->io.offer(dp::Side::radio, {.src = dp::test::Ip("10.46.0.9")});
  ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue_of("10.46.0.9")) != nullptr; }));
  apply({{{ue_of("10.46.0.8"), settings()}, {ue_of("10.47.0.8"), settings()}}, {}});
  EXPECT_EQ(way.set, prefixes({"10.45.0.1/32", "10.46.0.0/16", "10.47.0.8/32"}));
  apply({{}, {ue_of("10.46.0.8"), ue_of("10.46.0.9"), ue_of("10.47.0.8")}});
  EXPECT_EQ(way.set, prefixes({"10.45.0.1/32", "10.46.0.0/16"}));
}

TEST_F(ShortcutPlaneTest, ABearerIsInTheSetBeforeAWorkerHasItAndUntilNoneHas) {
  const dp::UeAddress moved = ue_of("10.47.0.8");
  runtime->stall(true);
  bool ended = false;
  const auto ask = [&](const Wish& wish) {
    ended = false;
    plane->bearers().apply([wish] { return wish; }, [&](const Ended<Applied>&) { ended = true; });
  };
  ask({{{moved, settings()}}, {}});
  ASSERT_TRUE(poll_until([&] { return way.set.contains(prefix("10.47.0.8/32")); }));
  EXPECT_EQ(plane->registry().find(moved), nullptr);
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return ended; }));
  runtime->stall(true);
  ask({{}, {moved}});
  for (int i = 0; i < 20; ++i) plane->poll();
  EXPECT_TRUE(way.set.contains(prefix("10.47.0.8/32")));
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return ended; }));
  EXPECT_FALSE(way.set.contains(prefix("10.47.0.8/32")));
}

TEST_F(ShortcutPlaneTest, BlockClosesItBeforeAnyWorkerHasTheModeAndTheNextModeOpensItAfterAll) {
  runtime->stall(true);
  plane->modes().set(dp::Mode::block, [](const Ended<Modes::Change>&) {});
  ASSERT_TRUE(poll_until([&] { return way.taken.back() == Shortcut::none; }));
  EXPECT_EQ(runtime->shared(0).snapshot.read().mode, dp::Mode::inline_);
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return plane->modes().mode() == dp::Mode::block; }));
  runtime->stall(true);
  bool ended = false;
  plane->modes().set(dp::Mode::inline_, [&](const Ended<Modes::Change>&) { ended = true; });
  for (int i = 0; i < 20; ++i) plane->poll();
  EXPECT_EQ(way.taken.back(), Shortcut::none);
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return ended; }));
  EXPECT_EQ(way.taken.back(), Shortcut::strangers);
}

TEST_F(ShortcutPlaneTest, AReloadTakesOverTheKeyTheRulesAndTheMode) {
  reload(with(kStrangersFile, "10.46.0.0/16", "10.48.0.0/16"));
  ASSERT_TRUE(poll_until([&] { return plane->modes().shortcut() == Shortcut::strangers; }));
  EXPECT_EQ(way.set, prefixes({"10.45.0.1/32", "10.48.0.0/16"}));
  reload(with(kStrangersFile, "wire: {shortcut: strangers}", "unknown: drop, wire: {shortcut: unparsed}"));
  EXPECT_EQ(way.taken.back(), Shortcut::unparsed);
  EXPECT_EQ(plane->config().dataplane.wire.shortcut, Shortcut::unparsed);
  reload(with(kStrangersFile, "wire: {shortcut: strangers}", "mode: block, wire: {shortcut: unparsed}"));
  EXPECT_EQ(way.taken.back(), Shortcut::none);
  reload(with(kStrangersFile, "wire: {shortcut: strangers}", "mode: tap, wire: {shortcut: unparsed}"));
  EXPECT_EQ(way.taken.back(), Shortcut::unparsed);
  EXPECT_TRUE(poll_until([&] { return way.set.empty(); }));
}

// No frame of a bearer's goes past it: at each moment it could, all are in the set.
TEST_F(ShortcutPlaneTest, WhenStrangersTakeItAllBearersAreInTheSet) {
  Wish wish;
  for (std::uint32_t n = 0; n < 2000; ++n) wish.set.push_back({dp::ue_ipv4(0x0a300000 + n), settings()});
  std::size_t looks = 0;
  way.on_take = [&](Shortcut which) {
    if (which != Shortcut::strangers) return;
    ++looks;
    for (const auto& [address, record] : plane->registry().all()) {
      EXPECT_TRUE(way.set.contains({.length = 32, .lo = address.lo}) || (address.lo >> 16) == 0x0a2e);
    }
  };
  bool ended = false;
  plane->bearers().apply([wish] { return wish; }, [&](const Ended<Applied>&) { ended = true; });
  reload(with(kStrangersFile, "10.46.0.0/16", "10.46.0.0/15"));
  reload(kStrangersFile);
  ASSERT_TRUE(poll_until([&] { return ended && plane->modes().shortcut() == Shortcut::strangers; }));
  EXPECT_GE(looks, 1u);
  EXPECT_EQ(way.set.size(), 2002u);
}

}  // namespace
}  // namespace control
