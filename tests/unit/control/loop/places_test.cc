#include "control/loop/places.h"

#include <gtest/gtest.h>

namespace control {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr uid_t kRoot = 0, kAda = 1000, kBob = 1001;

class PlacesTest : public ::testing::Test {
 protected:
  PlacesTest() {
    limits.connections = 10;
    limits.per_user = 6;
    limits.owner_places = 2;
  }
  // `count` connections of a user that has waited so long; descriptors count up from the first.
  void take(uid_t uid, int count, bool evictable, int waited, std::size_t memory = 0) {
    for (int i = 0; i < count; ++i) {
      places.push_back({static_cast<int>(places.size()), uid, uid == kRoot, evictable,
                        steady_clock::time_point{} - seconds(waited + i), memory});
    }
  }
  Admission admission(uid_t uid) const { return admit(uid, uid == kRoot, places, limits); }
  void expect_refused(uid_t uid, const std::string& words) const {
    const Admission refused = admission(uid);
    EXPECT_FALSE(refused.admitted);
    EXPECT_NE(refused.refusal.find(words), std::string::npos) << refused.refusal;
  }

  ServerLimits limits;
  std::vector<Place> places;
};

TEST_F(PlacesTest, WhileThereIsRoomNobodyGoes) {
  take(kAda, 5, true, 100);
  take(kBob, 2, true, 100);
  for (const uid_t uid : {kRoot, kAda, kBob}) {
    EXPECT_TRUE(admission(uid).admitted);
    EXPECT_FALSE(admission(uid).evicted);
  }
}

TEST_F(PlacesTest, AUserWithItsFullShareGivesUpItsOwnLongestIdle) {
  take(kBob, 1, true, 1000);
  take(kAda, 3, true, 10);
  take(kAda, 3, false, 100);
  EXPECT_EQ(admission(kAda).evicted, 3);
  EXPECT_FALSE(admission(kBob).evicted);
}

TEST_F(PlacesTest, AUserWithItsFullShareAtWorkIsRefusedAndTheOthersAreNot) {
  take(kAda, 6, false, 10);
  expect_refused(kAda, "user 1000 has 6 connections");
  EXPECT_TRUE(admission(kBob).admitted);
}

TEST_F(PlacesTest, TheOwnersPlacesAreNotForOthers) {
  take(kAda, 6, false, 10);
  take(kBob, 2, false, 10);
  expect_refused(kBob, "8 connections are open, the most that are taken beside 2 kept for root");
  EXPECT_TRUE(admission(kRoot).admitted);
  take(kRoot, 2, false, 10);
  expect_refused(kRoot, "10 connections are open");
}

TEST_F(PlacesTest, TheUserWithMostConnectionsMakesRoom) {
  take(kBob, 2, true, 1000);
  take(kAda, 6, true, 10);
  EXPECT_EQ(admission(kBob).evicted, 7);
  take(kRoot, 2, true, 5000);
  EXPECT_EQ(admission(kBob).evicted, 7);
  EXPECT_EQ(admission(kRoot).evicted, 7);
}

TEST_F(PlacesTest, StrangersDoNotPushTheOwnerOutOfItsPlaces) {
  take(kRoot, 2, true, 5000);
  take(kAda, 4, false, 10);
  take(kBob, 4, false, 10);
  expect_refused(kAda, "none of them is idle");
}

TEST_F(PlacesTest, AnOwnerThatHoldsEverythingGivesUpItsLongestIdle) {
  take(kRoot, 10, true, 10);
  EXPECT_EQ(admission(kRoot).evicted, 9);
  EXPECT_EQ(admission(kBob).evicted, 9);
}

TEST_F(PlacesTest, WhoWasAnsweredAMomentAgoGoesAfterThoseThatWereNot) {
  take(kRoot, 10, true, 10);
  places[9].lately = true;
  EXPECT_EQ(admission(kRoot).evicted, 8);
  for (Place& place : places) place.lately = true;
  EXPECT_EQ(admission(kRoot).evicted, 9);
}

TEST_F(PlacesTest, TheUserThatHoldsMostMemoryGivesUpWhatWaitedLongest) {
  take(kBob, 1, true, 1000, 3 * kMiB);
  take(kAda, 4, true, 10, kMiB);
  take(kAda, 1, true, 500, 100);  // gives nothing back
  take(kAda, 1, false, 500, kMiB);
  EXPECT_EQ(heaviest(places), 4);
}

TEST_F(PlacesTest, TheOwnerGivesUpMemoryOnlyWhenNobodyElseHoldsMuch) {
  take(kRoot, 1, true, 1000, 50 * kMiB);
  take(kAda, 1, true, 1, kMiB);
  EXPECT_EQ(heaviest(places), 1);
  places.pop_back();
  EXPECT_EQ(heaviest(places), 0);
  places[0].evictable = false;
  EXPECT_EQ(heaviest(places), std::nullopt);
}

}  // namespace
}  // namespace control
