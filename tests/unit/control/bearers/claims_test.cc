#include "control/bearers/claims.h"

#include <chrono>

#include <gtest/gtest.h>

#include "control/bearers/give_back.h"
#include "tests/support/shaped.h"

namespace control {
namespace {

using dp::test::shaped_at, dp::test::ue;
using std::chrono::seconds;

const Claim::Clock::time_point kClaimedAt{std::chrono::hours(1)};

Claim claim_of(Keeper keeper, bool made, seconds time = seconds(10)) {
  return {keeper, keeper == Keeper::program ? "radius" : "", 0, kClaimedAt + time, made};
}

TEST(ClaimsTest, EndInTheOrderOfTheirTimesAndThoseWithoutATimeNever) {
  Claims claims;
  claims.set(ue(1), claim_of(Keeper::program, true, seconds(30)));
  claims.set(ue(2), claim_of(Keeper::program, true, seconds(20)));
  claims.set(ue(3), {Keeper::by_hand, "", 0, Claim::kNever, false});
  EXPECT_FALSE(claims.any_ended(kClaimedAt + seconds(19)));
  EXPECT_TRUE(claims.any_ended(kClaimedAt + seconds(20)));
  EXPECT_EQ(claims.ended(kClaimedAt + seconds(20), 9), std::vector{ue(2)});
  EXPECT_EQ(claims.ended(kClaimedAt + seconds(900), 9), (std::vector{ue(2), ue(1)}));
  EXPECT_EQ(claims.ended(kClaimedAt + seconds(900), 1), std::vector{ue(2)});
}

TEST(ClaimsTest, ANewTimeTakesThePlaceOfTheOneBefore) {
  Claims claims;
  claims.set(ue(1), claim_of(Keeper::program, true, seconds(10)));
  claims.set(ue(1), claim_of(Keeper::program, true, seconds(40)));
  EXPECT_FALSE(claims.any_ended(kClaimedAt + seconds(39)));
  claims.set(ue(1), Claim{});
  EXPECT_EQ(claims.find(ue(1)), nullptr);
  EXPECT_FALSE(claims.any_ended(kClaimedAt + seconds(99)));
  EXPECT_EQ(claims.size(), 0u);
}

TEST(ClaimsTest, ABearerThatGoesTakesItsClaimAlong) {
  BearerRegistry registry;
  registry.insert(ue(1), {shaped_at(1000), Origin::socket, nullptr});
  registry.claims().set(ue(1), claim_of(Keeper::program, true));
  registry.erase(ue(1));
  EXPECT_EQ(registry.claims().find(ue(1)), nullptr);
  EXPECT_FALSE(registry.claims().any_ended(kClaimedAt + seconds(99)));
}

struct GivenBack {
  std::string what;
  Wish wish;
};
GivenBack given_back(Origin origin, std::optional<Claim> claim) {
  BearerRegistry registry;
  registry.insert(ue(1), {shaped_at(9000), origin, nullptr});
  if (claim) registry.claims().set(ue(1), *claim);
  GivenBack back;
  const char* const what = give_back(registry, ue(1), shaped_at(1000), kClaimedAt, back.wish);
  back.what = what == nullptr ? "" : what;
  return back;
}

TEST(GiveBackTest, WhatAProgramHasMadeGoesWithIt) {
  const GivenBack back = given_back(Origin::socket, claim_of(Keeper::program, true));
  EXPECT_EQ(back.what, "removed");
  EXPECT_EQ(back.wish.remove, std::vector{ue(1)});
  EXPECT_EQ(given_back(Origin::socket, claim_of(Keeper::nobody, true)).what, "removed");
}

TEST(GiveBackTest, WhatWasThereBeforeReturnsToItsClass) {
  for (const Keeper keeper : {Keeper::program, Keeper::by_hand}) {
    const GivenBack back = given_back(Origin::learnt, claim_of(keeper, false));
    EXPECT_EQ(back.what, "returned to its class");
    ASSERT_EQ(back.wish.set.size(), 1u);
    EXPECT_EQ(back.wish.set[0].settings, shaped_at(1000));
    EXPECT_EQ(back.wish.set[0].origin, Origin::learnt);
    EXPECT_EQ(back.wish.set[0].claim, Claim{});
  }
}

TEST(GiveBackTest, WhatAnOperatorHadWaitsForAProgramAsItIs) {
  for (const std::optional<Claim>& claim :
       {std::optional(claim_of(Keeper::by_hand, true)), std::optional<Claim>()}) {
    const GivenBack back = given_back(Origin::socket, claim);
    EXPECT_EQ(back.what, "left to a program");
    ASSERT_EQ(back.wish.set.size(), 1u);
    EXPECT_EQ(back.wish.set[0].settings, shaped_at(9000));
    EXPECT_EQ(back.wish.set[0].claim, (Claim{Keeper::nobody, "", 0, kClaimedAt + kUntilTaken, true}));
  }
}

TEST(GiveBackTest, NothingIsDoneWhereNobodyHasSetAnything) {
  for (const Origin origin : {Origin::file, Origin::learnt})
    EXPECT_EQ(given_back(origin, std::nullopt).what, "");
  Wish wish;
  EXPECT_EQ(give_back(BearerRegistry(), ue(7), shaped_at(1), kClaimedAt, wish), nullptr);
}

}  // namespace
}  // namespace control
