#include "control/plane/plan.h"

#include <gtest/gtest.h>

namespace control {
namespace {

dp::UeAddress ue(std::uint32_t n) { return dp::ue_ipv4(0x0a2d0000 + n); }

dp::BearerSettings at(std::uint64_t rate) {
  dp::BearerSettings settings;
  settings.downlink.link = dp::ShaperSpec::Config{};
  settings.downlink.rate = rate;
  return settings;
}

BearerRegistry running() {
  BearerRegistry registry;
  registry.insert(ue(1), {at(1000), Origin::socket, nullptr});
  registry.insert(ue(2), {at(2000), Origin::file, nullptr});
  registry.insert(ue(3), {at(3000), Origin::learnt, nullptr});
  return registry;
}

TEST(Plan, WhatIsAsWantedNeedsNothing) {
  const Plan plan = make_plan(running(), {{{ue(1), at(1000), Origin::socket}}, {}});
  EXPECT_TRUE(plan.empty());
  EXPECT_EQ(plan.unchanged, 1u);
}

TEST(Plan, NewChangedAndSurplusBearersAreToldApart) {
  const Plan plan = make_plan(
      running(), {{{ue(1), at(9), Origin::socket}, {ue(7), at(7), Origin::socket}}, {ue(2), ue(8)}});
  ASSERT_EQ(plan.create.size(), 1u);
  EXPECT_EQ(plan.create[0].ue, ue(7));
  ASSERT_EQ(plan.change.size(), 1u);
  EXPECT_EQ(plan.change[0].settings, at(9));
  EXPECT_EQ(plan.remove, std::vector{ue(2)});
}

TEST(Plan, ALearntBearerThatIsSetAsItIsBecomesConfiguredWithoutACommand) {
  const Plan plan = make_plan(running(), {{{ue(3), at(3000), Origin::socket}}, {}});
  EXPECT_EQ(plan.adopt.size(), 1u);
  EXPECT_TRUE(plan.change.empty());
}

TEST(Plan, OfTwoWantsForOneUeTheLaterCounts) {
  const Plan plan =
      make_plan(running(), {{{ue(5), at(1), Origin::socket}, {ue(5), at(2), Origin::socket}}, {}});
  ASSERT_EQ(plan.create.size(), 1u);
  EXPECT_EQ(plan.create[0].settings, at(2));
}

TEST(Plan, AUeRemovedTwiceIsRemovedOnceAndOneThatIsSetStays) {
  const Plan plan = make_plan(running(), {{{ue(2), at(2000), Origin::file}}, {ue(1), ue(1), ue(2)}});
  EXPECT_EQ(plan.remove, std::vector{ue(1)});
}

}  // namespace
}  // namespace control
