// One UE of a /64 gets a bearer of its own, or loses it again, in the middle of connections: these end at
// both ends or go on, and nothing of them stays in the bearer that they leave.
#include <algorithm>
#include <functional>

#include "tests/support/ack_chains.h"
#include "tests/support/mesh_bench.h"
#include "tests/support/runs.h"
#include "tests/unit/split/split_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kNet = 0x20010db8'00450000;
constexpr UeAddress kWideUe = ue_ipv6_64(kNet), kOwnUe = ue_ipv6_128(kNet, 2),
                    kOtherUe = ue_ipv6_128(kNet, 3);

FrameSpec ue_says(std::uint64_t host, std::uint8_t flags, std::uint32_t seq, std::uint32_t ack) {
  return {.src = Ip(kNet, host),
          .dst = Ip("2001:db8::1"),
          .sport = 40'000,
          .dport = 80,
          .seq = seq,
          .ack = ack,
          .tcp_flags = flags,
          .payload = 0};
}
FrameSpec server_says(std::uint64_t host, std::uint8_t flags, std::uint32_t seq, std::size_t payload) {
  return {.src = Ip("2001:db8::1"),
          .dst = Ip(kNet, host),
          .sport = 80,
          .dport = 40'000,
          .seq = seq,
          .ack = 101,
          .tcp_flags = flags,
          .payload = payload};
}

class Handover : public SplitBench {
 protected:
  static PathSpec path(std::uint32_t seed = 1) {
    PathSpec s = plain(seed);
    s.ipv6 = true;
    return s;
  }
  void begin_download(const PathSpec& spec, std::uint64_t octets) {
    resets_expected = true;
    begin_split(spec);
    // RFC 9293 section 3.10.7.1: a host without the connection answers its segments with a RST.
    looks_at_source = [hold = looks_at_source, this](const TcpSegment& s) {
      if (!source->failed() || s.has(TcpView::kRst)) return hold(s);
      io.offer(Side::core, FrameSpec{.src = Ip(0x20010db8'00000000, 1),
                                     .dst = Ip(kNet, 2),
                                     .sport = s.source_port,
                                     .dport = s.destination_port,
                                     .seq = s.ack,
                                     .tcp_flags = TcpView::kRst,
                                     .payload = 0});
    };
    source->offer(octets);
    source->close();
  }
  bool reset() const { return source->failed() && ue->failed(); }
  // Whole, or reset at both ends.
  bool ends(Duration limit) {
    const Time end = clock.now() + limit;
    while (clock.now() < end && !reset() && !(source->all_acked() && ue->finished())) run_for(100ms);
    return reset() || (source->all_acked() && ue->finished());
  }
  Bearer& add_bearer(const UeAddress& ue, const BearerSettings& settings) {
    return WorkerBench::add(ue, settings);
  }
  std::uint64_t resets() { return counters().resets[index(SplitReset::removed)].get(); }
  // Another UE of the /64 has opened a connection.
  void other_opens() {
    io.offer(Side::radio, ue_says(3, TcpView::kSyn, 100, 0));
    settle();
    io.sent.clear();
  }
  static FlowKey key_of_other() {
    return {.ue_hi = kNet,
            .ue_lo = 3,
            .peer_hi = 0x20010db8'00000000,
            .peer_lo = 1,
            .ue_port = 40'000,
            .peer_port = 80,
            .ipv6 = true};
  }
};

TEST_F(Handover, AConnectionAtRiskIsResetAtBothEndsWhenItsUeGetsABearerOfItsOwn) {
  begin_download(path(), 1'000'000);
  run_for(2s);
  other_opens();
  ASSERT_GT(at_risk(), 0u);
  add_bearer(kOwnUe, path().bearer);
  EXPECT_EQ(resets(), 1u);
  EXPECT_EQ(created(Creation::proxy_reset), 2u);
  EXPECT_EQ(at_risk(), 0u);
  EXPECT_EQ(counters().stored_bytes.get(), 0u);
  EXPECT_NE(bearer->proxy->flows().find(key_of_other()), nullptr) << "of another UE";
  EXPECT_EQ(bearer->proxy->flows().size(), 1u);
  EXPECT_TRUE(ends(5s));
  EXPECT_TRUE(reset());
  bearer = bearers.back().get();
  begin_download(path(), 100'000);
  EXPECT_TRUE(ends(1min));
  EXPECT_EQ(ue->stats().delivered_bytes, 100'000u);
  EXPECT_GT(counters().acked_bytes.get(), 0u);
}

TEST_F(Handover, AConnectionWithNothingAtRiskGoesOnUnsplitAndNeitherEndNotices) {
  resets_expected = false;
  begin_split(path());
  source->offer(30'000);
  run_for(5s);
  ASSERT_EQ(at_risk(), 0u);
  ASSERT_EQ(bearer->proxy->split(), 1u);
  add_bearer(kOwnUe, path().bearer);
  EXPECT_EQ(bearer->proxy->split(), 0u);
  source->offer(300'000);
  source->close();
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_EQ(ue->stats().delivered_bytes, 330'000u);
  EXPECT_EQ(created(Creation::proxy_reset), 0u);
}

TEST_F(Handover, WhenTheBearerOfItsOwnGoesTheUeIsBackInThePrefixsAndNothingOfBeforeIsThere) {
  begin_download(path(), 1'000'000);
  run_for(2s);
  Bearer* const own = &add_bearer(kOwnUe, path().bearer);
  ASSERT_TRUE(ends(5s));
  Bearer* const wide = std::exchange(bearer, own);
  begin_download(path(), 1'000'000);
  run_for(2s);
  ASSERT_GT(at_risk(), 0u);
  // Segments that cross the wider bearer's uplink late are followed there again.
  FlowTable& wider = wide->proxy->flows();
  ASSERT_EQ(wider.size(), 0u);
  ASSERT_NE(wider.obtain({.ue_hi = kNet, .ue_lo = 2, .peer_lo = 9, .ue_port = 7, .ipv6 = true},
                         FlowClaim::opened, clock.now(), [](const Flow&) {}),
            nullptr);
  command(RemoveBearer{std::exchange(bearer, wide)});
  EXPECT_EQ(wider.size(), 0u);
  EXPECT_EQ(resets(), 2u);
  EXPECT_TRUE(ends(5s));
  EXPECT_TRUE(reset());
  begin_download(path(), 100'000);
  EXPECT_TRUE(ends(1min));
  EXPECT_EQ(ue->stats().delivered_bytes, 100'000u);
  EXPECT_GT(bearer->proxy->flows().size(), 0u);
}

TEST_F(Handover, ALearntPrefixLetsGoAsOneThatWasSet) {
  const LearnRules rules{{*parse_prefix("2001:db8::/32"), 0, LearnFrom::both}};
  command(SetLearnRules{&rules});
  bearers.push_back(prepare_bearer(path().bearer));
  command(PoolBearer{bearers.back().get()});
  bearer = bearers.back().get();
  begin_download(path(), 1'000'000);
  run_for(2s);
  ASSERT_EQ(bearer->ue, kWideUe);
  ASSERT_GT(at_risk(), 0u);
  add_bearer(kOwnUe, path().bearer);
  EXPECT_EQ(resets(), 1u);
  EXPECT_TRUE(ends(5s));
  EXPECT_TRUE(reset());
}

TEST_F(Handover, ABearerOfAnotherUeOrOneThatIsRefusedChangesNothing) {
  begin_split(path());
  source->offer_unbounded();
  run_for(2s);
  const std::uint64_t risk = at_risk();
  ASSERT_GT(risk, 0u);
  add_bearer(kOtherUe, path().bearer);
  add_bearer(ue_ipv6_128(kNet + 1, 2), path().bearer);
  bearers.push_back(prepare_bearer(path().bearer));
  bearers.back()->ue = kOtherUe;
  EXPECT_EQ(command(AddBearer{bearers.back().get()}).status, CommandStatus::ue_exists);
  EXPECT_EQ(at_risk(), risk);
  EXPECT_EQ(bearer->proxy->split(), 1u);
  resets_expected = true;
  command(RemoveBearer{std::exchange(bearer, nullptr)});
}

// Bearers of the UE and of its /64 come and go at any moment, up to four times in a transfer.
TEST_F(Handover, WhateverComesAndGoesATransferIsWholeOrResetAtBothEnds) {
  std::uint32_t whole = 0, cut = 0;
  const std::uint32_t seeds = runs_of(120);
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 draw(seed);
    PathSpec spec = path(seed);
    spec.bearer.downlink.rate = 256'000u << draw() % 6;
    if (draw() % 3 == 0) spec.bearer.uplink = shaper(100'000, 100);
    if (draw() % 2 == 0) spec.bearer.proxy.reset();
    Bearer* wide = bearer = &add_bearer(kWideUe, spec.bearer);
    Bearer* own = nullptr;
    begin_download(spec, 300'000);
    for (auto n = 1 + draw() % 4; n > 0; --n) {
      run_for(std::chrono::milliseconds(draw() % 1000));
      const bool narrow = draw() % 3 != 0;
      Bearer*& one = narrow ? own : wide;
      if (one != nullptr) {
        command(RemoveBearer{std::exchange(one, nullptr)});
      } else {
        one = &add_bearer(narrow ? kOwnUe : kWideUe, path().bearer);
      }
    }
    EXPECT_TRUE(ends(2min)) << "it hangs: " << source->failed() << ue->failed();
    reset() ? ++cut : ++whole;
    if (!reset()) {
      EXPECT_EQ(ue->stats().delivered_bytes, 300'000u);
    }
    EXPECT_EQ(ue->stats().corrupt, 0u);
    run_for(1s);
    for (Bearer* one : {wide, own}) {
      if (one != nullptr) command(RemoveBearer{one});
    }
    EXPECT_EQ(counters().stored_bytes.get() + at_risk(), 0u);
    if (HasFailure()) return;
  }
  EXPECT_GT(whole, 0u);
  EXPECT_GT(cut, seeds / 8);
}

// ACK stages, alone and in twos: what they hold leaves, what they keep is let go, and the transfer goes on.
class HandoverOfAcks : public PathBench {
 protected:
  static PathSpec path(const std::vector<AckConfig>& stages) {
    PathSpec s;
    s.bearer = bearer_at(1'000'000, 60);
    s.bearer.uplink.ack.stages = static_cast<std::uint32_t>(stages.size());
    std::ranges::copy(stages, s.bearer.uplink.ack.stage.begin());
    s.sender.mss = s.receiver.mss = 500;
    s.radio_loss = 0.01;
    s.receiver.window_scale = 3;
    s.receiver.window = 200'000;
    s.ipv6 = s.ue_connects = true;
    return s;
  }
};

TEST_F(HandoverOfAcks, EveryChainLetsGoOfTheUeThatGetsABearerOfItsOwnAndMeetsItAnewWhenThatGoes) {
  std::uint64_t held = 0, kept = 0;
  for_each_chain([&](const std::vector<AckConfig>& stages, const std::string& name) {
    if (HasFailure()) return;
    SCOPED_TRACE(name);
    bearer = &add(kWideUe, path(stages).bearer);
    begin(path(stages));
    source->offer(250'000);
    run_for(1s);
    const FrameAccount& account = worker->context().account;
    held += account.held;
    kept += account.retained;
    const ClassAckCounters& counted = shared->classes[0].acks;
    ASSERT_EQ(counted.flows.get(), 1u);
    Bearer& own = add(kOwnUe, bearer_at(1'000'000, 60));
    EXPECT_EQ(account.held + account.retained, 0u);
    EXPECT_EQ(counted.flows.get() + counted.held.get() + counted.kept.get(), 0u);
    EXPECT_EQ(bearer->acks->flows().size(), 0u);
    run_for(300ms);
    command(RemoveBearer{&own});
    EXPECT_TRUE(run_to_end(2min));
    EXPECT_EQ(ue->stats().corrupt, 0u);
    EXPECT_EQ(bearer->acks->flows().size(), 1u);
    command(RemoveBearer{std::exchange(bearer, nullptr)});
    EXPECT_EQ(counted.flows.get(), 0u);
  });
  EXPECT_GT(held, 0u);
  EXPECT_GT(kept, 0u);
}

TEST_F(HandoverOfAcks, WhatIsHeldWhileTheBoxIsBlockedIsDroppedAsBlocked) {
  PathSpec spec = path({AckRate::Config{.mode = AckRate::Mode::hold, .maxd = 300ms, .minth = {1}}});
  begin(spec);
  source->offer_unbounded();
  while (worker->context().account.held == 0) run_for(10ms);
  const std::uint64_t held = worker->context().account.held;
  command(SetMode{Mode::block});
  const std::uint64_t before = dropped(DropReason::blocked);
  add(kOwnUe, spec.bearer);
  EXPECT_EQ(dropped(DropReason::blocked), before + held);
  EXPECT_EQ(worker->context().account.held, 0u);
}

// The /64 is with a worker that is not its home, which control tells apart.
TEST(HandoverRoaming, AWiderBearerThatVisitsAnotherWorkerLetsGoThere) {
  Box box(2);
  const unsigned home = owner_of(kWideUe, 2), away = 1 - home;
  const auto add = [&](const UeAddress& ue) {
    BearerSettings settings{.downlink = shaped(1'000'000)};
    settings.proxy = SplitConfig{.window = 65'536};
    box.bearers.push_back(prepare_bearer(settings));
    box.bearers.back()->ue = ue;
    box.command(home, AddBearer{box.bearers.back().get()});
  };
  const auto settle = [&] {
    for (int i = 0; i < 4; ++i) box.poll_all();
  };
  add(kWideUe);
  box.command(home, LendBearer{box.bearers[0].get(), away});
  settle();
  ASSERT_EQ(box.arrivals().size(), 1u);
  box.io.offer(Side::radio, ue_says(2, TcpView::kSyn, 100, 0));
  settle();
  box.io.offer(Side::core, server_says(2, TcpView::kSyn | TcpView::kAck, 1000, 0));
  settle();
  box.run(100ms);
  box.io.offer(Side::radio, ue_says(2, TcpView::kAck, 101, 1001));
  settle();
  box.io.offer(Side::core, server_says(2, TcpView::kAck, 1001, 1000));
  box.io.offer(Side::core, server_says(2, TcpView::kAck, 2001, 1000));
  settle();
  const auto resets = [&] {
    return box.shared(away).classes[0].split.resets[index(SplitReset::removed)].get();
  };
  ASSERT_EQ(box.bearers[0]->proxy->split(), 1u);
  add(kOwnUe);
  box.command(home, LetUeGo{kOwnUe});
  EXPECT_EQ(resets(), 0u) << "it is not here";
  box.command(away, LetUeGo{kOtherUe});
  EXPECT_EQ(resets(), 0u);
  box.command(away, LetUeGo{kOwnUe});
  EXPECT_EQ(resets(), 1u);
  EXPECT_EQ(box.bearers[0]->proxy->split(), 0u);
  EXPECT_EQ(box.bearers[0]->proxy->flows().size(), 0u);
  box.run(1s);
  for (unsigned w = 0; w < 2; ++w) EXPECT_EQ(box.account(w).residue(), 0);
}

}  // namespace
}  // namespace dp::test
