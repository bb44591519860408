#include "tools/lab/batch/pool.h"

#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace lab {
namespace {

TEST(RunPool, DoesEachPieceOnceAndCountsUpToAll) {
  for (const unsigned jobs : {1u, 2u, 5u, 100u}) {
    std::vector<int> times(37, 0);
    std::vector<std::size_t> counts;
    run_pool(
        times.size(), jobs, [&](std::size_t i) { ++times[i]; }, [&](std::size_t n) { counts.push_back(n); });
    EXPECT_EQ(times, std::vector<int>(37, 1)) << jobs;
    std::vector<std::size_t> expected(37);
    std::iota(expected.begin(), expected.end(), 1);
    EXPECT_EQ(counts, expected) << jobs;
  }
}

TEST(RunPool, BeginsNothingMoreOnceToldToStop) {
  std::atomic<bool> stop{false};
  std::size_t begun = 0;
  run_pool(
      100, 1, [&](std::size_t) { stop = ++begun == 3; }, {}, &stop);
  EXPECT_EQ(begun, 3u);
}

TEST(RunPool, ThrowsWhatAPieceThrewAndBeginsNothingMore) {
  std::size_t begun = 0;
  const auto work = [&](std::size_t i) {
    ++begun;
    if (i == 4) throw std::runtime_error("fifth");
  };
  EXPECT_THROW(run_pool(100, 1, work), std::runtime_error);
  EXPECT_EQ(begun, 5u);
}

TEST(RunPool, OfNothingDoesNothing) {
  run_pool(0, 4, [](std::size_t) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace lab
