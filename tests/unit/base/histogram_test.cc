#include "dataplane/base/histogram.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(DurationHistogram, ABoundBelongsToItsBucketAndBeyondTheLastThereIsOneMore) {
  DurationHistogram h;
  h.add(Duration{0});
  h.add(Duration{100'000});
  h.add(Duration{100'001});
  h.add(Duration{100'000'000'000});
  h.add(Duration{100'000'000'001});
  EXPECT_EQ(h.bucket(0), 2u);
  EXPECT_EQ(h.bucket(1), 1u);
  EXPECT_EQ(h.bucket(DurationHistogram::kBounds.size() - 1), 1u);
  EXPECT_EQ(h.bucket(DurationHistogram::kBounds.size()), 1u);
  EXPECT_EQ(h.sum_ns(), 200'000'200'002u);
}

// About each bound and each power of two, where the table that finds the bucket could be off by one.
TEST(DurationHistogram, EachDurationIsInTheFirstBucketWhoseBoundItDoesNotExceed) {
  const auto& bounds = DurationHistogram::kBounds;
  std::vector<std::int64_t> durations(bounds.begin(), bounds.end());
  for (int bits = 0; bits < 63; ++bits) durations.push_back(std::int64_t{1} << bits);
  for (const std::int64_t middle : durations) {
    for (const std::int64_t ns : {middle - 1, middle, middle + 1}) {
      DurationHistogram h;
      h.add(Duration{ns});
      const auto expected = std::lower_bound(bounds.begin(), bounds.end(), ns) - bounds.begin();
      EXPECT_EQ(h.bucket(static_cast<std::size_t>(expected)), 1u) << ns;
    }
  }
}

TEST(DurationHistogram, BoundsRise) {
  EXPECT_TRUE(std::is_sorted(DurationHistogram::kBounds.begin(), DurationHistogram::kBounds.end()));
}

}  // namespace
}  // namespace dp
