// Ends of connections at a split proxy (dataplane/split): drained at any moment, let go, reset, given up; and
// the proxy's bounds.
#include "tests/support/runs.h"
#include "tests/unit/split/split_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class SplitLife : public SplitBench {
 protected:
  // The proxy has acknowledged more octets than the UE has, and nothing waits for the channel.
  PathSpec begin_at_risk_over_an_idle_leg() {
    PathSpec spec = plain();
    begin_split(spec);
    source->offer(20'000);
    while (at_risk() == 0 || bearer->downlink.buffer().sdus() != 0) run_for(1ms);
    return spec;
  }
  void remove_proxy(const PathSpec& spec) {
    BearerSettings other = spec.bearer;
    other.proxy.reset();
    change(*bearer, spec.bearer, other);
  }
  // The frame source has no more frames than it has now.
  void let_no_more_be_made() { io.max_frames = io.outstanding(); }
};

TEST_F(SplitLife, ADrainAtAnyMomentIsNoticedByNeitherEnd) {
  std::uint32_t drained_amid = 0;
  const std::uint32_t seeds = std::max(12u, runs_of(200));
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 draw(seed);
    PathSpec spec = plain(seed);
    spec.radio_loss = seed % 3 == 0 ? 0.02 : 0;
    spec.wired_loss = seed % 4 == 0 ? 0.01 : 0;
    spec.sender.sack = seed % 5 != 0;
    spec.sender.timestamps = seed % 2 == 0;
    spec.bearer.downlink.rate = 256'000 << draw() % 5;
    begin_split(spec);
    source->offer(400'000);
    source->close();
    run_for(std::chrono::milliseconds(100 + draw() % 3000));
    const bool amid = at_risk() > 0;
    command(DrainProxies{.on = true});
    run_for(8s);
    drained_amid += amid ? 1 : 0;
    EXPECT_EQ(at_risk(), 0u);
    EXPECT_EQ(bearer->proxy->split(), 0u);
    command(SetMode{Mode::bypass});
    EXPECT_TRUE(run_to_both_ends(10min));
    EXPECT_EQ(ue->stats().delivered_bytes, 400'000u);
    EXPECT_EQ(ue->stats().corrupt, 0u);
    EXPECT_EQ(created(Creation::proxy_reset), 0u);
    command(SetMode{Mode::inline_});
    command(DrainProxies{.on = false});
    command(RemoveBearer{std::exchange(bearer, nullptr)});
    EXPECT_EQ(counters().stored_bytes.get(), 0u);
    if (HasFailure()) return;
  }
  EXPECT_GT(drained_amid, seeds * 3 / 4);
}

TEST_F(SplitLife, NothingIsSplitDuringADrainAndAgainAfterIt) {
  begin_split(plain());
  command(DrainProxies{.on = true});
  source->offer(50'000);
  source->close();
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_EQ(ue->stats().delivered_bytes, 50'000u);
  EXPECT_EQ(counters().acked_bytes.get(), 0u);
  EXPECT_EQ(counters().unsplit[index(Unsplit::draining)].get(), 1u);
  command(DrainProxies{.on = false});
  begin_split(plain());
  source->offer(50'000);
  source->close();
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_GT(counters().acked_bytes.get(), 40'000u);
}

TEST_F(SplitLife, AModeThatComesWithoutADrainResetsWhatIsAtRiskAndNothingElse) {
  resets_expected = true;
  begin_split(plain());
  source->offer_unbounded();
  run_for(2s);
  ASSERT_GT(at_risk(), 0u);
  command(SetMode{Mode::bypass});
  EXPECT_EQ(created(Creation::proxy_reset), 2u);
  EXPECT_EQ(counters().resets[index(SplitReset::removed)].get(), 1u);
  EXPECT_EQ(at_risk(), 0u);
  EXPECT_EQ(worker->context().account.retained, 0u);
}

TEST_F(SplitLife, AConnectionWithNothingAtRiskOutlivesASuddenBypass) {
  begin_split(plain());
  source->offer(30'000);
  run_for(5s);
  ASSERT_EQ(at_risk(), 0u);
  ASSERT_EQ(bearer->proxy->split(), 1u);
  command(SetMode{Mode::bypass});
  source->offer(30'000);
  source->close();
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_EQ(ue->stats().delivered_bytes, 60'000u);
  EXPECT_EQ(created(Creation::proxy_reset), 0u);
}

TEST_F(SplitLife, ConnectionsThatWereNotSeenInAnotherModeMayLeaveTheTable) {
  begin_split(plain());
  FlowTable& flows = bearer->proxy->flows();
  std::uint16_t port = 1;
  const auto obtain = [&] {
    const FlowKey key{.ue_lo = bearer->ue.lo, .peer_lo = 1, .ue_port = port++, .peer_port = 443};
    return flows.obtain(key, FlowClaim::opened, worker->context().now, [](const Flow&) {});
  };
  while (Flow* const flow = obtain()) {
    flow->established = true;
    flows.touch(*flow);
  }
  for (const Mode mode : {Mode::tap, Mode::bypass}) {
    EXPECT_EQ(obtain(), nullptr);
    command(SetMode{mode});
    EXPECT_EQ(obtain(), nullptr) << "until frames are followed again";
    run_for(1s);
    command(SetMode{Mode::inline_});
    for (std::size_t i = flows.limits().flows; i > 0; --i) {
      Flow* const flow = obtain();
      ASSERT_NE(flow, nullptr) << i;
      flow->established = true;
      flows.touch(*flow);
    }
  }
}

TEST_F(SplitLife, AUeThatVanishesEndsInAResetForTheServer) {
  resets_expected = true;
  PathSpec spec = plain();
  spec.bearer.proxy->retries = 4;
  begin_split(spec);
  source->offer_unbounded();
  run_for(2s);
  ASSERT_GT(at_risk(), 0u);
  radio_loses = [](std::size_t, const TcpSegment&) { return true; };
  run_for(2min);
  EXPECT_EQ(counters().resets[index(SplitReset::ue_silent)].get(), 1u);
  EXPECT_EQ(counters().timeouts.get(), 5u);
  EXPECT_EQ(at_risk(), 0u);
  EXPECT_EQ(bearer->proxy->split(), 0u);
}

// The window bounds the stored octets however slowly the UE reads; the server continues when the UE reads.
TEST_F(SplitLife, AUeThatReadsSlowlyStopsTheServer) {
  PathSpec spec = plain();
  spec.receiver.window = 20'000;
  spec.receiver.window_scale = 0;
  spec.receiver.read_rate = 8'000;
  begin_split(spec);
  source->offer(60'000);
  source->close();
  std::uint64_t most = 0;
  for (int i = 0; i < 300; ++i) {
    run_for(100ms);
    most = std::max(most, counters().stored_bytes.get());
  }
  EXPECT_LE(most, 20'003u);
  EXPECT_GT(most, 10'000u);
  EXPECT_TRUE(run_to_both_ends(10min));
  EXPECT_EQ(ue->stats().delivered_bytes, 60'000u);
  EXPECT_EQ(created(Creation::proxy_reset), 0u);
}

TEST_F(SplitLife, TheFirstFlightIsTheInitialWindow) {
  for (const std::uint16_t segments : {1, 3, 10, 25}) {
    PathSpec spec = plain(segments);
    spec.bearer.proxy->initial_window = segments;
    spec.sender.initial_window = 40;
    spec.bearer.downlink.rate = 100'000'000;
    begin_split(spec);
    const auto hold = looks_at_ue;
    std::size_t first = 0;
    bool acked = false;
    const auto hear = came;
    looks_at_ue = [&](const TcpSegment& s, Bytes packet) {
      first += !acked && !s.payload.empty() ? 1 : 0;
      hold(s, packet);
    };
    came = [&](bool from_source, const TcpSegment& s) {
      acked = acked || (!from_source && first > 0);
      hear(from_source, s);
    };
    source->offer(200'000);
    run_for(5s);
    EXPECT_EQ(first, segments);
    EXPECT_EQ(ue->stats().delivered_bytes, 200'000u);
    command(RemoveBearer{std::exchange(bearer, nullptr)});
  }
}

TEST_F(SplitLife, SegmentsOfAnOctetTakeNoMorePlacesThanThereAre) {
  PathSpec spec = plain();
  spec.bearer.proxy->window = 8192;
  spec.bearer.downlink.rate = 64'000;
  begin_split(spec);
  std::uint64_t mbufs = 0;
  for (int i = 0; i < 3000; ++i) {
    source->offer(1 + static_cast<std::uint64_t>(i % 7));
    run_for(1ms);
    mbufs = std::max(mbufs, worker->context().account.mbufs_held);
  }
  source->close();
  EXPECT_TRUE(run_to_both_ends(10min));
  EXPECT_EQ(ue->stats().corrupt, 0u);
  EXPECT_LE(mbufs, 2 * 8 + 8 + 40 + 2u);
}

TEST_F(SplitLife, ThePoolsShareThatIsPromisedLeavesConnectionsUnsplit) {
  worker = std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 8, .proxy_cap = 10});
  begin_split(plain());
  source->offer(50'000);
  source->close();
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_EQ(counters().unsplit[index(Unsplit::store)].get(), 1u);
  EXPECT_EQ(counters().acked_bytes.get(), 0u);
  EXPECT_EQ(worker->context().proxy_store.taken(), 0u);
}

TEST_F(SplitLife, WithoutFramesToRepeatThingsGoOnWhenThereAreSomeAgain) {
  PathSpec spec = plain();
  spec.radio_loss = 0.05;
  begin_split(spec);
  source->offer(200'000);
  source->close();
  run_for(400ms);
  let_no_more_be_made();
  run_for(5s);
  io.max_frames = ~std::size_t{0};
  EXPECT_TRUE(run_to_both_ends(10min));
  EXPECT_EQ(ue->stats().delivered_bytes, 200'000u);
}

TEST_F(SplitLife, IdleConnectionsAreSplitNoMoreAndAgainWhenDataCome) {
  PathSpec spec = plain();
  spec.bearer.proxy->idle = 30s;
  begin_split(spec);
  source->offer(30'000);
  run_for(10s);
  EXPECT_EQ(bearer->proxy->split(), 1u);
  run_for(60s);
  EXPECT_EQ(bearer->proxy->split(), 0u);
  EXPECT_EQ(worker->context().timers.size(), 0u);
  source->offer(30'000);
  source->close();
  run_for(1s);
  EXPECT_EQ(bearer->proxy->split(), 0u);  // which has come to its end by now
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_GT(counters().acked_bytes.get(), 55'000u);
}

// Links that acknowledge free the buffer when the peer's STATUS comes, and not when they send.
TEST_F(SplitLife, OverAnAcknowledgedLinkTheBufferIsNeitherOverrunNorForgotten) {
  PathSpec spec = plain();
  spec.bearer.downlink = {.link = AmLinkConfig{}, .rate = 256'000, .buffer = {6, 1u << 20}};
  spec.bearer.uplink = {.link = AmLinkConfig{}, .rate = 256'000};
  begin_split(spec);
  source->offer(300'000);
  source->close();
  EXPECT_TRUE(run_to_both_ends(10min));
  EXPECT_EQ(ue->stats().delivered_bytes, 300'000u);
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 0u);
  EXPECT_EQ(counters().timeouts.get(), 0u);
}

TEST_F(SplitLife, ABlockedBoxCostsNoTimeouts) {
  begin_split(plain());
  source->offer(400'000);
  run_for(500ms);
  ASSERT_GT(at_risk(), 0u);
  command(SetMode{Mode::block});
  run_for(20s);
  command(SetMode{Mode::inline_});
  const std::uint64_t before = counters().timeouts.get();
  run_for(300ms);
  EXPECT_EQ(counters().timeouts.get(), before);
  EXPECT_EQ(before, 0u);
  source->close();
  EXPECT_TRUE(run_to_both_ends(10min));
  EXPECT_EQ(ue->stats().corrupt, 0u);
}

TEST_F(SplitLife, OtherSettingsHoldForConnectionsToCome) {
  PathSpec spec = plain();
  begin_split(spec);
  source->offer(400'000);
  run_for(500ms);
  ASSERT_GT(at_risk(), 0u);
  BearerSettings other = spec.bearer;
  other.proxy->initial_window = 4;
  const SplitProxy* const proxy = bearer->proxy;
  change(*bearer, spec.bearer, other);
  EXPECT_EQ(bearer->proxy, proxy);
  source->close();
  EXPECT_TRUE(run_to_both_ends(1min));
  EXPECT_EQ(created(Creation::proxy_reset), 0u);
}

// The buffer is emptied without a service then, and nothing else might wake the proxy.
TEST_F(SplitLife, WhatWaitsForRoomGoesOnAtOnceWhenTheLinkBecomesAnother) {
  PathSpec spec = plain();
  spec.bearer.downlink = bearer_at(8'000, 2).downlink;
  begin_split(spec);
  source->offer(100'000);
  run_for(5s);
  ASSERT_TRUE(bearer->downlink.buffer().sdus() != 0);
  ASSERT_GT(counters().stored_bytes.get(), 4'000u);
  BearerSettings other = spec.bearer;
  other.downlink.link = UmLinkConfig{.loss = 0};
  change(*bearer, spec.bearer, other);
  EXPECT_TRUE(bearer->downlink.buffer().sdus() != 0);
  source->close();
  EXPECT_TRUE(run_to_both_ends(10min));
}

TEST_F(SplitLife, AnotherProxyResetsWhatIsAtRiskUnderTheFirst) {
  resets_expected = true;
  PathSpec spec = plain();
  begin_split(spec);
  source->offer_unbounded();
  run_for(500ms);
  ASSERT_GT(at_risk(), 0u);
  remove_proxy(spec);
  EXPECT_EQ(bearer->proxy, nullptr);
  EXPECT_EQ(created(Creation::proxy_reset), 2u);
  EXPECT_EQ(at_risk(), 0u);
}

TEST_F(SplitLife, WhatAProxySendsAtItsEndLeavesAlsoOverAChannelThatIsIdle) {
  resets_expected = true;
  const PathSpec spec = begin_at_risk_over_an_idle_leg();
  remove_proxy(spec);
  EXPECT_EQ(created(Creation::proxy_reset), 2u);
  run_for(1s);
  EXPECT_FALSE(bearer->downlink.buffer().sdus() != 0);
}

TEST_F(SplitLife, OfAProxyThatEndsWhileTheBoxIsBlockedNothingLeavesBeforeItGoesOn) {
  resets_expected = true;
  const PathSpec spec = begin_at_risk_over_an_idle_leg();
  command(SetMode{Mode::block});
  run_for(10s);
  const auto sent = [&] {
    const auto& account = worker->context().account;
    return account.sent[0].frames + account.sent[1].frames;
  };
  const std::uint64_t before = sent();
  remove_proxy(spec);
  EXPECT_EQ(created(Creation::proxy_reset), 2u);
  run_for(1s);
  EXPECT_EQ(sent(), before);
  EXPECT_TRUE(bearer->downlink.buffer().sdus() != 0);
  command(SetMode{Mode::inline_});
  run_for(100ms);
  EXPECT_FALSE(bearer->downlink.buffer().sdus() != 0);
}

}  // namespace
}  // namespace dp::test
