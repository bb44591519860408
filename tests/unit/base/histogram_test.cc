#include "dataplane/base/histogram.h"

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

TEST(DurationHistogram, BoundsRise) {
  EXPECT_TRUE(std::is_sorted(DurationHistogram::kBounds.begin(), DurationHistogram::kBounds.end()));
}

}  // namespace
}  // namespace dp
