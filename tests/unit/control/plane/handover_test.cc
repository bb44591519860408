// A UE of a /64 gets a bearer of its own over the socket or by a reload, and loses it: nothing of the UE's
// connections stays at the bearer of the /64, at any worker.
#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"
#include "dataplane/flow/key.h"
#include "tests/support/one_connection.h"
#include "tests/support/polled_plane.h"

namespace control {
namespace {

using namespace dp::test;

constexpr const char* kHandoverFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  web: {downlink: {rate: 100M, buffer: {sdus: 500}}, proxy: {split: {window: 32kB}}}
bearers: [{ue: "2001:db8:45::/64", class: web}]
)";
constexpr const char* kOwn = R"(
  - {ue: "2001:db8:45::2", class: web}
)";

class HandoverTest : public PolledPlane {
 protected:
  void start(unsigned workers, bool moves) {
    runtime = std::make_unique<TestRuntime>(64, workers);
    plane = std::make_unique<DataPlane>(*runtime, config_of(kHandoverFile), 64);
    begin();
    bearer = plane->registry().find(kPrefix)->bearer;
    if (!moves) return;
    const unsigned to = 1 - plane->moves().worker_of(kPrefix);
    const auto moved =
        wait_for<unsigned>([&](auto done) { plane->moves().move(kPrefix, to, std::move(done)); });
    ASSERT_TRUE(moved.done.has_value());
    ASSERT_EQ(plane->moves().worker_of(kPrefix), to);
  }
  // A connection with 2000 octets that the proxy has acknowledged to the server, and the UE has not.
  void split() {
    const std::size_t before = runtime->io.sent();
    const auto sent = [&](std::size_t n) {
      return poll_until([&] { return runtime->io.sent() == before + n; });
    };
    say(dp::Side::radio, dp::TcpView::kSyn, 100, 0);
    ASSERT_TRUE(sent(1));
    say(dp::Side::core, dp::TcpView::kSyn | dp::TcpView::kAck, 1000, 0);
    ASSERT_TRUE(sent(2));
    say(dp::Side::radio, dp::TcpView::kAck, 101, 0);
    ASSERT_TRUE(sent(3));
    for (const std::uint32_t at : {1001u, 2001u}) say(dp::Side::core, dp::TcpView::kAck, at, 1000);
    ASSERT_TRUE(
        poll_until([&] { return sum([](const auto& split) { return split.at_risk_bytes.get(); }) == 2000; }));
  }
  template <class F>
  std::uint64_t sum(F f) const {
    std::uint64_t all = 0;
    for (std::size_t w = 0; w < runtime->workers(); ++w) all += f(runtime->shared(w).classes[0].split);
    return all;
  }
  std::uint64_t resets() const {
    return sum([](const auto& split) { return split.resets[dp::index(dp::SplitReset::removed)].get(); });
  }
  Wish own() {
    Wish wish;
    wish.set.push_back({kUe, plane->bearers().settings_of(0), Origin::socket});
    return wish;
  }

  static constexpr dp::UeAddress kPrefix = dp::ue_ipv6_64(0x20010db800450000);
  static constexpr dp::UeAddress kUe = dp::ue_ipv6_128(0x20010db800450000, 2);
  dp::Bearer* bearer = nullptr;  // the bearer of the /64

 private:
  void say(dp::Side side, std::uint8_t flags, std::uint32_t seq, std::size_t payload) {
    runtime->io.offer(side,
                      dp::test::segment_from(side, Ip(kUe.hi, kUe.lo), "2001:db8::1", flags, seq, payload));
  }
};

TEST_F(HandoverTest, ABearerOfTheUesOwnEndsItsConnectionsWhereverTheOneOfItsPrefixIs) {
  for (const bool moves : {false, true}) {
    SCOPED_TRACE(moves ? "away" : "at home");
    start(2, moves);
    split();
    if (HasFatalFailure()) return;
    EXPECT_EQ(apply(own()).done.value_or(Applied{}).created, 1u);
    EXPECT_EQ(resets(), 1u) << "at the latest when the change is answered";
    runtime->stop();
    EXPECT_EQ(bearer->proxy->flows().size(), 0u);
  }
}

TEST_F(HandoverTest, WhatThePrefixsBearerHasSeenOfTheUeMeanwhileIsForgottenWhenItsOwnGoes) {
  for (const bool moves : {false, true}) {
    SCOPED_TRACE(moves ? "away" : "at home");
    start(2, moves);
    ASSERT_EQ(apply(own()).done.value_or(Applied{}).created, 1u);
    // Nothing else touches its table meanwhile.
    const dp::FlowKey key{
        .ue_hi = kUe.hi, .ue_lo = kUe.lo, .peer_lo = 1, .ue_port = 7, .peer_port = 80, .ipv6 = true};
    ASSERT_NE(
        bearer->proxy->flows().obtain(key, dp::FlowClaim::opened, runtime->now(), [](const dp::Flow&) {}),
        nullptr);
    Wish gone;
    gone.remove.push_back(kUe);
    EXPECT_EQ(apply(gone).done.value_or(Applied{}).removed, 1u);
    runtime->stop();
    EXPECT_EQ(bearer->proxy->flows().size(), 0u);
  }
}

TEST_F(HandoverTest, AReloadDoesTheSame) {
  start(2, true);
  split();
  if (HasFatalFailure()) return;
  std::string file = kHandoverFile;
  const std::string listed = R"([{ue: "2001:db8:45::/64", class: web}])";
  file.replace(file.find(listed), listed.size(),
               "\n  - {ue: \"2001:db8:45::/64\", class: web}" + std::string(kOwn));
  EXPECT_EQ(reload(config_of(file)).done.value_or(Applied{}).created, 1u);
  EXPECT_EQ(resets(), 1u);
}

}  // namespace
}  // namespace control
