#include "dataplane/base/ring.h"

#include <thread>

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(SpscRing, RefusesWhatDoesNotFitAndLosesNothing) {
  SpscRing<int, 4> ring;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(i));
  EXPECT_FALSE(ring.push(4));
  EXPECT_EQ(ring.size(), 4u);
  int value = -1;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(ring.pop(value));
    EXPECT_EQ(value, i);
  }
  EXPECT_FALSE(ring.pop(value));
}

TEST(SpscRing, KeepsOrderBetweenTwoThreads) {
  static SpscRing<int, 64> ring;
  constexpr int kCount = 200'000;
  std::thread producer([] {
    for (int i = 0; i < kCount;) {
      if (ring.push(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (int expected = 0; expected < kCount;) {
    int value;
    if (!ring.pop(value)) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(value, expected);
    ++expected;
  }
  producer.join();
}

}  // namespace
}  // namespace dp
