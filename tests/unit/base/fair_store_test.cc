// FairStore: what each holder has, what a fair share is, and which holders have most.
#include "dataplane/base/fair_store.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace dp::test {
namespace {

TEST(FairStore, HasRoomForWhatNobodyHolds) {
  FairStore store(100);
  FairStore::Holder a;
  EXPECT_TRUE(store.has_space(100));
  EXPECT_FALSE(store.has_space(101));
  store.take(a, 70);
  EXPECT_TRUE(store.has_space(30));
  EXPECT_FALSE(store.has_space(31));
  store.set_cap(50);
  EXPECT_FALSE(store.has_space(0));
  store.give_back(a, 70);
  EXPECT_TRUE(store.has_space(50));
}

TEST(FairStore, AreOfThoseThatHoldSomethingAndOfWhoAsks) {
  FairStore store(120);
  FairStore::Holder a, b, c;
  EXPECT_EQ(store.share_of(a), 120u);
  store.take(a, 50);
  EXPECT_EQ(store.share_of(a), 120u);
  EXPECT_EQ(store.share_of(b), 60u);
  store.take(b, 61);
  EXPECT_EQ(store.share_of(c), 40u);
  EXPECT_EQ(store.share_of(a, true), 40u) << "another waits";
  store.give_back(a, 50);
  store.give_back(b, 61);
}

TEST(FairStore, NameNobodyWhereNobodyHoldsAnything) {
  FairStore store(10);
  EXPECT_EQ(store.next_of_the_largest(), nullptr);
  FairStore::Holder a;
  store.take(a, 1);
  EXPECT_EQ(store.next_of_the_largest(), &a);
  store.give_back(a, 1);
  EXPECT_EQ(store.next_of_the_largest(), nullptr);
}

TEST(FairStore, NameThoseThatHoldMostInTurns) {
  FairStore store(1000);
  FairStore::Holder small, large[3];
  store.take(small, 7);
  for (auto& one : large) store.take(one, 8);
  std::set<FairStore::Holder*> named;
  for (int i = 0; i < 3; ++i) named.insert(store.next_of_the_largest());
  EXPECT_EQ(named, (std::set<FairStore::Holder*>{&large[0], &large[1], &large[2]}));
  for (auto& one : large) store.give_back(one, 2);
  EXPECT_NE(store.next_of_the_largest(), nullptr);
  for (auto& one : large) store.give_back(one, 6);
  EXPECT_EQ(store.next_of_the_largest(), &small);
  store.give_back(small, 7);
}

TEST(FairStore, NameOneWithinAFactorOfTwoOfTheLargestAtAnyTime) {
  std::mt19937 draw(1);
  FairStore store;
  std::vector<FairStore::Holder> holders(40);
  for (int i = 0; i < 20'000; ++i) {
    FairStore::Holder& one = holders[draw() % holders.size()];
    if (one.held() > 0 && draw() % 2 == 0) {
      store.give_back(one, 1 + draw() % one.held());
    } else {
      store.take(one, 1 + draw() % 500);
    }
    std::uint64_t sum = 0, most = 0, some = 0;
    for (const FairStore::Holder& h : holders) {
      sum += h.held(), most = std::max(most, h.held()), some += h.held() > 0 ? 1 : 0;
    }
    ASSERT_EQ(store.taken(), sum);
    const FairStore::Holder* const named = store.next_of_the_largest();
    ASSERT_EQ(named == nullptr, most == 0);
    if (named == nullptr) continue;
    ASSERT_GT(named->held() * 2, most);
    ASSERT_EQ(store.share_of(*named), ~std::uint64_t{0} / some);
  }
  for (FairStore::Holder& one : holders) {
    if (one.held() > 0) store.give_back(one, one.held());
  }
  EXPECT_EQ(store.taken(), 0u);
}

}  // namespace
}  // namespace dp::test
