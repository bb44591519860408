#include "control/loop/background.h"

#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace control {
namespace {

using std::chrono::milliseconds;

class BackgroundTest : public ::testing::Test {
 protected:
  Background beside;
  std::vector<int> ended;
  const std::thread::id mine = std::this_thread::get_id();

  void submit(
      int number, std::function<void()> work = [] {}) {
    beside.submit(Client(), std::move(work), [this, number] {
      EXPECT_EQ(std::this_thread::get_id(), mine);
      ended.push_back(number);
    });
  }
  // False when that takes longer than anybody would wait.
  bool poll_until_idle() {
    for (int i = 0; i < 20'000 && !beside.idle(); ++i) {
      beside.poll();
      std::this_thread::sleep_for(milliseconds(1));
    }
    return beside.idle();
  }
};

TEST_F(BackgroundTest, EndsAreToldInOrderOnTheCallersThread) {
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 5; ++i) submit(i, [&threads] { threads.push_back(std::this_thread::get_id()); });
  EXPECT_TRUE(ended.empty());
  ASSERT_TRUE(poll_until_idle());
  EXPECT_EQ(ended, (std::vector{0, 1, 2, 3, 4}));
  ASSERT_EQ(threads.size(), 5u);
  for (const std::thread::id id : threads) EXPECT_NE(id, mine);
}

TEST_F(BackgroundTest, WhatAClientAskedForIsNotDoneOnceItHasLeft) {
  auto client = std::make_shared<int>(0);
  const Client asks{std::weak_ptr<void>(client)};
  client.reset();
  bool done = false;
  beside.submit(
      asks, [&done] { done = true; }, [this] { ended.push_back(0); });
  ASSERT_TRUE(poll_until_idle());
  EXPECT_FALSE(done);
  EXPECT_EQ(ended, std::vector{0});
}

TEST_F(BackgroundTest, WhatTheWorkThrowsReachesTheCallerInPlaceOfItsEnd) {
  submit(0);
  submit(1, [] { throw std::bad_alloc(); });
  bool thrown = false;
  for (int i = 0; i < 20'000 && !thrown; ++i) {
    try {
      beside.poll();
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(thrown);
  submit(2);  // the thread is still there
  ASSERT_TRUE(poll_until_idle());
  EXPECT_EQ(ended, (std::vector{0, 2}));
}

TEST_F(BackgroundTest, WhatTheWorkHoldsIsFreedBeforeItsEndIsTold) {
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> seen = held;
  bool gone = false;
  beside.submit(
      Client(), [held = std::move(held)] {}, [&] { gone = seen.expired(); });
  ASSERT_TRUE(poll_until_idle());
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace control
