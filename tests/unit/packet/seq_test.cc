#include "dataplane/packet/seq.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(SeqSpace, CountsFromItsInitialNumberAndWraps) {
  const SeqSpace space(0xfffffff0);
  EXPECT_EQ(space.wire(0), 0xfffffff0u);
  EXPECT_EQ(space.wire(15), 0xffffffffu);
  EXPECT_EQ(space.wire(16), 0u);
  EXPECT_EQ(space.wire((Offset{1} << 32) + 3), 0xfffffff3u);
}

TEST(SeqSpace, TakesANumberForThePlaceNearestToTheOneGiven) {
  const SeqSpace space(0xfffffff0);
  EXPECT_EQ(space.offset(0xfffffff0, 0), 0);
  EXPECT_EQ(space.offset(4, 0), 20);
  EXPECT_EQ(space.offset(0xffffffe0, 0), -16);
  const Offset far = Offset{5} << 32;
  EXPECT_EQ(space.offset(space.wire(far + 7), far), far + 7);
  EXPECT_EQ(space.offset(space.wire(far - 7), far), far - 7);
}

TEST(SeqSpace, IsRightUpToTwoGigabytesAway) {
  const SeqSpace space(1234);
  const Offset near = Offset{3} << 33;
  const Offset most = (Offset{1} << 31) - 1;
  for (const Offset d : {most, most - 1, -most, -most - 1}) {
    EXPECT_EQ(space.offset(space.wire(near + d), near), near + d) << d;
  }
}

TEST(Timestamps, AreComparedModuloTwoToTheThirtyTwo) {
  EXPECT_TRUE(stamp_before(1, 2));
  EXPECT_FALSE(stamp_before(2, 2));
  EXPECT_TRUE(stamp_before(0xffffffff, 3));
  EXPECT_FALSE(stamp_before(3, 0xffffffff));
}

}  // namespace
}  // namespace dp
