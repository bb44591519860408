#include "control/bearers/plan.h"

#include <gtest/gtest.h>

#include "tests/support/shaped.h"

namespace control {
namespace {

using dp::test::shaped_at, dp::test::ue;

BearerRegistry running() {
  BearerRegistry registry;
  registry.insert(ue(1), {shaped_at(1000), Origin::socket, nullptr});
  registry.insert(ue(2), {shaped_at(2000), Origin::file, nullptr});
  registry.insert(ue(3), {shaped_at(3000), Origin::learnt, nullptr});
  return registry;
}

TEST(Plan, WhatIsAsWantedNeedsNothing) {
  const Plan plan = make_plan(running(), {{{ue(1), shaped_at(1000), Origin::socket}}, {}});
  EXPECT_TRUE(plan.empty());
  EXPECT_EQ(plan.unchanged, 1u);
}

TEST(Plan, NewChangedAndSurplusBearersAreToldApart) {
  const Plan plan = make_plan(
      running(),
      {{{ue(1), shaped_at(9), Origin::socket}, {ue(7), shaped_at(7), Origin::socket}}, {ue(2), ue(8)}});
  ASSERT_EQ(plan.create.size(), 1u);
  EXPECT_EQ(plan.create[0].ue, ue(7));
  ASSERT_EQ(plan.change.size(), 1u);
  EXPECT_EQ(plan.change[0].settings, shaped_at(9));
  EXPECT_EQ(plan.remove, std::vector{ue(2)});
}

TEST(Plan, ALearntBearerThatIsSetAsItIsBecomesConfiguredWithoutACommand) {
  const Plan plan = make_plan(running(), {{{ue(3), shaped_at(3000), Origin::socket}}, {}});
  EXPECT_EQ(plan.adopt.size(), 1u);
  EXPECT_TRUE(plan.change.empty());
}

TEST(Plan, OfTwoWantsForOneUeTheLaterCounts) {
  const Plan plan = make_plan(
      running(), {{{ue(5), shaped_at(1), Origin::socket}, {ue(5), shaped_at(2), Origin::socket}}, {}});
  ASSERT_EQ(plan.create.size(), 1u);
  EXPECT_EQ(plan.create[0].settings, shaped_at(2));
}

TEST(Plan, AUeRemovedTwiceIsRemovedOnceAndOneThatIsSetStays) {
  const Plan plan = make_plan(running(), {{{ue(2), shaped_at(2000), Origin::file}}, {ue(1), ue(1), ue(2)}});
  EXPECT_EQ(plan.remove, std::vector{ue(1)});
}

TEST(BearerRegistry, BearersOfTheSameSettingsShareThem) {
  BearerRegistry registry;
  for (std::uint32_t n = 0; n < 100; ++n) registry.insert(ue(n), {shaped_at(1000), Origin::socket, nullptr});
  registry.set_settings(*registry.find(ue(7)), shaped_at(7));
  registry.set_settings(*registry.find(ue(8)), shaped_at(7));
  EXPECT_EQ(registry.find(ue(99))->settings.get(), registry.find(ue(0))->settings.get());
  EXPECT_EQ(registry.find(ue(8))->settings.get(), registry.find(ue(7))->settings.get());
  EXPECT_EQ(registry.find(ue(7))->settings, shaped_at(7));
}

TEST(BearerRegistry, ARecordInPlaceOfAnotherIsCountedOnce) {
  BearerRegistry registry = running();
  registry.insert(ue(1), {shaped_at(5), Origin::file, nullptr});
  EXPECT_EQ(registry.size(), 3u);
  EXPECT_EQ(registry.count(Origin::socket), 0u);
  EXPECT_EQ(registry.count(Origin::file), 2u);
  EXPECT_EQ(registry.find(ue(1))->settings, shaped_at(5));
  EXPECT_EQ(registry.policies()[0][0], 3);
}

}  // namespace
}  // namespace control
