#include "dataplane/packet/burst.h"

#include <array>

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(Burst, CountsTheBytesOfAllThatWerePushedWhateverHasLeft) {
  std::array<Sdu, 3> sdus{};
  sdus[0].frame_len = 60;
  sdus[1].frame_len = 1514;
  sdus[2].frame_len = 9000;
  Burst burst;
  EXPECT_EQ(burst.pushed_bytes(), 0u);
  for (Sdu& sdu : sdus) burst.push(sdu);
  EXPECT_EQ(burst.pushed_bytes(), 10'574u);
  burst.keep_if([&](Sdu& sdu) { return &sdu != &sdus[1]; });
  ASSERT_EQ(burst.size(), 2u);
  EXPECT_EQ(burst.sdus()[1], &sdus[2]);
  EXPECT_EQ(burst.pushed_bytes(), 10'574u);
  burst.clear();
  burst.push(sdus[0]);
  EXPECT_EQ(burst.pushed_bytes(), 60u);
}

}  // namespace
}  // namespace dp
