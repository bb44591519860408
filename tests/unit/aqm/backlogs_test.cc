#include "dataplane/aqm/backlogs.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

struct Known {
  std::uint32_t bytes = 0;
  QueueTurn turn;
};

// A search of all: the most bytes, then the first turn.
std::optional<std::uint32_t> largest_of(const std::vector<Known>& queues) {
  std::optional<std::uint32_t> best;
  for (std::uint32_t q = 0; q < queues.size(); ++q) {
    if (queues[q].bytes == 0) continue;
    const bool more = !best || queues[q].bytes > queues[*best].bytes ||
                      (queues[q].bytes == queues[*best].bytes && queues[q].turn.before(queues[*best].turn));
    if (more) best = q;
  }
  return best;
}

TEST(Backlogs, TheLargestIsTheOneThatASearchOfAllFindsWhateverChanges) {
  for (const std::uint32_t size : {1u, 2u, 3u, 16u, 100u}) {
    // Stamps wrap on the way.
    std::uint32_t stamp = ~std::uint32_t{0} - 1000;
    Backlogs backlogs(size);
    std::vector<Known> queues(size);
    for (Known& queue : queues) queue.turn.stamp = ++stamp;
    Rng chance(size);
    for (int i = 0; i < 5000; ++i) {
      const auto q = static_cast<std::uint32_t>(chance.below(size));
      if (chance.below(3) == 0) queues[q].turn = {++stamp, chance.below(2) != 0};
      // Few sizes, so that many are equal.
      if (chance.below(3) != 0) queues[q].bytes = static_cast<std::uint32_t>(100 * chance.below(6));
      backlogs.set(q, queues[q].bytes, queues[q].turn);
      if (const auto best = largest_of(queues)) {
        ASSERT_EQ(backlogs.largest(), *best) << size << ", step " << i;
      }
    }
  }
}

TEST(Backlogs, OfEqualOnesTheFirstInTheOrderOfServiceIsTheLargest) {
  Backlogs backlogs(4);
  backlogs.set(0, 500, {3, true});
  backlogs.set(1, 500, {2, true});
  EXPECT_EQ(backlogs.largest(), 1u);
  backlogs.set(2, 500, {9, false});
  EXPECT_EQ(backlogs.largest(), 2u);
  backlogs.set(3, 501, {10, true});
  EXPECT_EQ(backlogs.largest(), 3u);
  backlogs.set(3, 0, {10, true});
  backlogs.set(2, 499, {9, false});
  EXPECT_EQ(backlogs.largest(), 1u);
}

}  // namespace
}  // namespace dp
