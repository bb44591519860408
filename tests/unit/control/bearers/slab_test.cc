#include "control/bearers/slab.h"

#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

dp::BearerSettings with(const dp::AqmConfig& down, const dp::AqmConfig& up) {
  const auto leg = [](const dp::AqmConfig& aqm) {
    return dp::LegSettings{.link = dp::ShaperSpec::Config{}, .rate = 1'000'000, .buffer = {}, .aqm = aqm};
  };
  return {.downlink = leg(down), .uplink = leg(up)};
}

TEST(BearerSlab, PartsAreMadeForWhatNeedsThemAndGoWithTheirBearer) {
  BearerSlab slab;
  dp::Bearer& plain = slab.make(with(dp::DropTailSpec::Config{}, dp::DropTailSpec::Config{}));
  EXPECT_EQ(slab.parts(), 0u);
  dp::BearerSettings over_a_wire = with(dp::DropTailSpec::Config{}, dp::FqCodelSpec::Config{});
  over_a_wire.uplink.link = dp::WireSpec::Config{};
  slab.release(slab.make(over_a_wire));
  EXPECT_EQ(slab.parts(), 0u) << "nothing waits there";
  dp::Bearer& managed = slab.make(with(dp::CodelSpec::Config{}, dp::RedSpec::Config{}));
  EXPECT_EQ(slab.parts(), 2u);
  dp::Bearer& fair = slab.make(with(dp::FqCodelSpec::Config{}, dp::FqCodelSpec::Config{}));
  EXPECT_EQ(slab.parts(), 6u);
  slab.release(fair);
  slab.release(managed);
  slab.release(plain);
  EXPECT_EQ(slab.parts(), 0u);
  EXPECT_EQ(slab.live(), 0u);
}

TEST(BearerSlab, AChangeMakesOnlyWhatTheBearerCannotGoOnWith) {
  BearerSlab slab;
  dp::FqCodelSpec::Config few, other_target;
  few.flows = 16;
  other_target.target = dp::Duration{9'000'000};
  const auto fair = with(dp::FqCodelSpec::Config{}, dp::DropTailSpec::Config{});
  for (const dp::AqmConfig& to : {dp::AqmConfig{other_target}, dp::AqmConfig{dp::CodelSpec::Config{}}}) {
    const dp::BearerParts none = slab.make_change(fair, with(to, dp::DropTailSpec::Config{}));
    EXPECT_TRUE(none.of<dp::QueuesKind>(0).none());
    EXPECT_EQ(none.of<dp::AqmKind>(0), nullptr);
  }
  const dp::BearerParts fresh = slab.make_change(fair, with(few, few));
  ASSERT_NE(fresh.of<dp::QueuesKind>(0).flows(), nullptr);
  ASSERT_NE(fresh.of<dp::QueuesKind>(1).flows(), nullptr);
  EXPECT_EQ(fresh.of<dp::QueuesKind>(0).flows()->flows(), 16u);
  EXPECT_EQ(fresh.of<dp::AqmKind>(0), nullptr);
  EXPECT_NE(fresh.of<dp::AqmKind>(1), nullptr);
  EXPECT_EQ(slab.parts(), 3u);
  slab.release(fresh);
  EXPECT_EQ(slab.parts(), 0u);
}

TEST(BearerSlab, AProxyIsMadeWithItsBearerAndAnewWhereItCannotGoOn) {
  BearerSlab slab;
  dp::BearerSettings settings = with(dp::DropTailSpec::Config{}, dp::DropTailSpec::Config{});
  dp::BearerSettings proxied = settings;
  proxied.proxy.emplace();
  dp::Bearer& bearer = slab.make(proxied);
  EXPECT_EQ(slab.parts(), 1u);
  EXPECT_NE(bearer.parts().of<dp::ProxyKind>(), nullptr);
  dp::BearerSettings live = proxied, other = proxied;
  live.proxy->initial_window = 3;
  other.proxy->window = 8192;
  EXPECT_EQ(slab.make_change(proxied, live).of<dp::ProxyKind>(), nullptr);
  for (const dp::BearerSettings& was : {settings, proxied}) {
    const dp::BearerParts fresh = slab.make_change(was, other);
    EXPECT_NE(fresh.of<dp::ProxyKind>(), nullptr);
    slab.release(fresh);
  }
  slab.release(bearer);
  EXPECT_EQ(slab.parts(), 0u);
}

TEST(BearerSlab, QueuesThatLetShortFlowsGoFirstAreMadeWithoutAnAqmAndAnewForAnotherNumberOfFlows) {
  BearerSlab slab;
  const auto sfp_of = [](std::uint32_t flows, std::uint32_t short_bytes) {
    dp::BearerSettings settings = with(dp::DropTailSpec::Config{}, dp::DropTailSpec::Config{});
    settings.downlink.queue = dp::SfpSpec::Config{.short_bytes = short_bytes, .flows = flows};
    return settings;
  };
  dp::Bearer& bearer = slab.make(sfp_of(64, 15'000));
  EXPECT_EQ(slab.parts(), 1u);
  EXPECT_NE(bearer.parts().of<dp::QueuesKind>(0).sfp(), nullptr);
  EXPECT_TRUE(bearer.parts().of<dp::QueuesKind>(1).none());
  EXPECT_TRUE(slab.make_change(sfp_of(64, 15'000), sfp_of(64, 1'000)).of<dp::QueuesKind>(0).none());
  const auto fair = with(dp::FqCodelSpec::Config{}, dp::DropTailSpec::Config{});
  for (const dp::BearerSettings& was : {fair, sfp_of(8, 15'000)}) {
    const dp::BearerParts fresh = slab.make_change(was, sfp_of(64, 15'000));
    ASSERT_NE(fresh.of<dp::QueuesKind>(0).sfp(), nullptr);
    EXPECT_EQ(fresh.of<dp::QueuesKind>(0).sfp()->flows(), 64u);
    slab.release(fresh);
  }
  slab.release(bearer);
  EXPECT_EQ(slab.parts(), 0u);
  dp::BearerSettings with_queues_of_its_own = sfp_of(64, 15'000);
  with_queues_of_its_own.downlink.aqm = dp::FqCodelSpec::Config{};
  dp::Bearer& other = slab.make(with_queues_of_its_own);
  EXPECT_NE(other.parts().of<dp::QueuesKind>(0).flows(), nullptr) << "the AQM's go before";
  slab.release(other);
}

TEST(BearerSlab, WhatALegCrossesOverUmIsMadeForEachAndAnewForOtherSettings) {
  BearerSlab slab;
  const auto over_um = [](double down, double up) {
    dp::BearerSettings settings = with(dp::DropTailSpec::Config{}, dp::DropTailSpec::Config{});
    settings.downlink.link = dp::UmLinkConfig{.loss = down};
    if (up > 0) settings.uplink.link = dp::UmLinkConfig{.loss = up};
    return settings;
  };
  dp::Bearer& bearer = slab.make(over_um(0.01, 0.02));
  EXPECT_EQ(slab.parts(), 2u);
  EXPECT_EQ(bearer.parts().of<dp::UmKind>(0), bearer.downlink.as<dp::UmLink>()->state());
  EXPECT_EQ(bearer.parts().of<dp::UmKind>(1), bearer.uplink.as<dp::UmLink>()->state());
  EXPECT_NE(bearer.downlink.as<dp::UmLink>()->state(), nullptr);
  dp::BearerSettings faster = over_um(0.01, 0.02);
  faster.downlink.rate *= 2;
  const dp::BearerParts none = slab.make_change(over_um(0.01, 0.02), faster);
  EXPECT_EQ(none.of<dp::UmKind>(0), nullptr);
  EXPECT_EQ(none.of<dp::UmKind>(1), nullptr);
  const dp::BearerParts fresh = slab.make_change(over_um(0.01, 0), over_um(0.01, 0.03));
  EXPECT_EQ(fresh.of<dp::UmKind>(0), nullptr) << "it goes on with the one it has";
  EXPECT_NE(fresh.of<dp::UmKind>(1), nullptr);
  EXPECT_EQ(slab.parts(), 3u);
  slab.release(fresh);
  slab.release(bearer);
  EXPECT_EQ(slab.parts(), 0u);
}

dp::BearerSettings paced(std::uint32_t flows) {
  dp::BearerSettings settings = with(dp::DropTailSpec::Config{}, dp::DropTailSpec::Config{});
  settings.uplink.ack.stages = 1;
  settings.uplink.ack.flows.flows = flows;
  return settings;
}

TEST(BearerSlab, ChainsOfStagesAreMadeAndGoWithTheirBearer) {
  BearerSlab slab;
  dp::Bearer& bearer = slab.make(paced(8));
  EXPECT_EQ(slab.parts(), 1u);
  EXPECT_NE(bearer.acks, nullptr);
  EXPECT_EQ(slab.make_change(paced(8), paced(8)).of<dp::AcksKind>(), nullptr);
  const dp::BearerParts fresh = slab.make_change(paced(8), paced(9));
  ASSERT_NE(fresh.of<dp::AcksKind>(), nullptr);
  slab.release(fresh);
  slab.release(bearer);
  EXPECT_EQ(slab.parts(), 0u);
}

}  // namespace
}  // namespace control
