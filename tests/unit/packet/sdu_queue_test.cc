#include "dataplane/packet/sdu_queue.h"

#include <algorithm>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

// Long stretches in which more comes than goes fill it beyond its array; others empty it.
TEST(SduQueue, FilledAndEmptiedItHoldsWhatAStandardDequeHolds) {
  std::vector<Sdu> sdus(3 * SduQueue::kNear);
  std::vector<Sdu*> idle;
  for (Sdu& sdu : sdus) idle.push_back(&sdu);
  std::deque<Sdu*> model;
  SduQueue tested;
  Rng rng(1);
  std::size_t longest = 0, emptied = 0;
  double coming = 0.5;
  for (int step = 0; step < 200'000; ++step) {
    if (step % 4000 == 0) coming = 0.2 + 0.7 * rng.uniform();
    if (rng.chance(coming)) {
      for (std::uint32_t n = rng.below(8); n > 0 && !idle.empty(); --n) {
        tested.push(*idle.back());
        model.push_back(idle.back());
        idle.pop_back();
      }
    } else {
      const auto first = tested.first(rng.below(65));
      ASSERT_LE(first.size(), model.size());
      ASSERT_TRUE(std::equal(first.begin(), first.end(), model.begin()));
      const std::size_t taken = rng.below(static_cast<std::uint32_t>(first.size()) + 1);
      for (std::size_t i = 0; i < taken; ++i) {
        idle.push_back(model.front());
        model.pop_front();
      }
      tested.remove(taken);
      emptied += model.empty() ? 1 : 0;
    }
    longest = std::max(longest, model.size());
    ASSERT_EQ(tested.size(), model.size());
    ASSERT_EQ(tested.empty(), model.empty());
    ASSERT_EQ(tested.first(1).size(), model.empty() ? 0u : 1u);
  }
  EXPECT_GT(longest, 2 * SduQueue::kNear);
  EXPECT_GT(emptied, 100u);
}

}  // namespace
}  // namespace dp
