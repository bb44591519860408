#include "control/bearers/shared_settings.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/shaped.h"

namespace control {
namespace {

using dp::test::shaped_at;

TEST(SharedSettings, AreEqualWhenTheySayTheSameAndNoneIsEqualToNone) {
  const SharedSettings one = shaped_at(1000), other = shaped_at(1000);
  EXPECT_NE(one.get(), other.get());
  EXPECT_EQ(one, other);
  EXPECT_NE(one, SharedSettings(shaped_at(2000)));
  EXPECT_NE(one, SharedSettings());
  EXPECT_EQ(SharedSettings(), SharedSettings());
}

TEST(SettingsPool, GivesTheSameObjectForSettingsThatSayTheSame) {
  SettingsPool pool;
  const SharedSettings first = pool.share(shaped_at(1000));
  EXPECT_EQ(pool.share(shaped_at(1000)).get(), first.get());
  EXPECT_NE(pool.share(shaped_at(2000)).get(), first.get());
  dp::BearerSettings other_class = shaped_at(1000);
  other_class.cls = 1;
  EXPECT_NE(pool.share(other_class).get(), first.get());
}

// The hash leaves these members out; the comparison does not.
TEST(SettingsPool, TellsSettingsOfOnePlaceApart) {
  SettingsPool pool;
  std::vector<SharedSettings> held;
  for (std::uint32_t flows = 1; flows <= 20; ++flows) {
    dp::BearerSettings settings = shaped_at(1000);
    settings.uplink.ack.flows.flows = flows;
    held.push_back(pool.share(settings));
    EXPECT_EQ(held.back()->uplink.ack.flows.flows, flows);
    EXPECT_EQ(pool.share(settings).get(), held.back().get());
  }
}

TEST(SettingsPool, ForgetsWhatNobodyHolds) {
  SettingsPool pool;
  pool.share(shaped_at(1000));
  const SharedSettings again = shaped_at(1000);
  EXPECT_EQ(pool.share(again).get(), again.get());
}

TEST(SettingsPool, OfMoreSettingsThanItRemembersEachIsStillItself) {
  SettingsPool pool;
  std::vector<SharedSettings> held;
  for (std::uint64_t rate = 1; rate <= 20'000; ++rate) held.push_back(pool.share(shaped_at(rate)));
  for (std::uint64_t rate = 1; rate <= 20'000; ++rate) {
    EXPECT_EQ(held[rate - 1]->downlink.rate, rate);
    EXPECT_EQ(pool.share(shaped_at(rate)), held[rate - 1]);
  }
  const SharedSettings last = pool.share(shaped_at(30'000));
  EXPECT_EQ(pool.share(shaped_at(30'000)).get(), last.get());
}

}  // namespace
}  // namespace control
