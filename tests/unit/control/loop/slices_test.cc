#include "control/loop/slices.h"

#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace control {
namespace {

const Slices::Clock::time_point kLongAgo{};  // every pause ends the slice

Slices count(int& counter, int to) {
  while (counter < to) {
    ++counter;
    co_await Slices::Pause{};
  }
}

Slices count_twice(int& counter) {
  Slices first = count(counter, 3);
  co_await first;
  counter += 10;
  Slices second = count(counter, 15);
  co_await second;
}

Slices fail_after(int pieces) {
  for (int i = 0; i < pieces; ++i) co_await Slices::Pause{};
  throw std::runtime_error("failed");
}

Slices forgive(int pieces, bool& caught) {
  Slices part = fail_after(pieces);
  try {
    co_await part;
  } catch (const std::runtime_error&) {
    caught = true;
  }
}

Slices wait_for(const bool& there, int& asked) {
  for (++asked; !there; ++asked) co_await Slices::Wait{};
}

struct Guard {
  explicit Guard(bool& gone) : gone_(gone) {}
  ~Guard() { gone_ = true; }
  bool& gone_;
};

Slices guarded(bool& gone) {
  const Guard guard(gone);
  for (;;) co_await Slices::Pause{};
}

TEST(Slices, NothingIsDoneBeforeItIsAsked) {
  int counter = 0;
  Slices work = count(counter, 5);
  EXPECT_TRUE(work);
  EXPECT_EQ(counter, 0);
  EXPECT_FALSE(Slices());
}

TEST(Slices, OnePieceAtATimeOnceTheTimeIsUp) {
  int counter = 0;
  Slices work = count(counter, 3);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(work.proceed(kLongAgo), Progress::more);
    EXPECT_EQ(counter, i);
  }
  EXPECT_EQ(work.proceed(kLongAgo), Progress::done);
}

TEST(Slices, AllOfItWhileThereIsTime) {
  int counter = 0;
  count(counter, 1000).finish();
  EXPECT_EQ(counter, 1000);
}

TEST(Slices, PartsAreCutLikeTheWhole) {
  int counter = 0;
  Slices work = count_twice(counter);
  std::vector<int> seen;
  while (work.proceed(kLongAgo) != Progress::done) seen.push_back(counter);
  EXPECT_EQ(seen, (std::vector{1, 2, 3, 14, 15}));
}

TEST(Slices, WhatIsThrownComesOutOfTheCallThatRanIntoIt) {
  Slices work = fail_after(1);
  EXPECT_EQ(work.proceed(kLongAgo), Progress::more);
  EXPECT_THROW((void)work.proceed(kLongAgo), std::runtime_error);
}

TEST(Slices, WhatAPartThrowsIsThrownWhereItIsAwaited) {
  for (const int pieces : {0, 2}) {
    bool caught = false;
    forgive(pieces, caught).finish();
    EXPECT_TRUE(caught) << pieces;
  }
}

TEST(Slices, WaitingGoesBackHoweverMuchTimeThereIs) {
  bool there = false;
  int asked = 0;
  Slices work = wait_for(there, asked);
  EXPECT_EQ(work.proceed(Slices::Clock::time_point::max()), Progress::waiting);
  EXPECT_EQ(work.proceed(Slices::Clock::time_point::max()), Progress::waiting);
  EXPECT_EQ(asked, 2);
  there = true;
  EXPECT_EQ(work.proceed(Slices::Clock::time_point::max()), Progress::done);
}

TEST(Slices, WorkThatIsDroppedLetsGoOfWhatItHeld) {
  bool gone = false;
  {
    Slices work = guarded(gone);
    EXPECT_EQ(work.proceed(kLongAgo), Progress::more);
    Slices moved = std::move(work);
    EXPECT_EQ(moved.proceed(kLongAgo), Progress::more);
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace control
