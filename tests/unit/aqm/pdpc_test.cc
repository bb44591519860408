// 000 Fig. 3 with the parameters of its Table 2, and the original with two thresholds.
#include "dataplane/aqm/pdpc.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

QueueView occupancy(std::uint32_t sdus) { return {sdus, sdus * 1500, 384'000, sdus}; }

class PdpcTest : public ::testing::Test {
 protected:
  Verdict arrive(Pdpc& pdpc, std::uint32_t sdus) { return pdpc.on_enqueue(sdu, occupancy(sdus), Time{}); }
  void deliver(Pdpc& pdpc, std::uint32_t bytes) { pdpc.on_delivered(bytes, occupancy(20), Time{}); }
  Sdu sdu{};
};

TEST_F(PdpcTest, AtMaxthTheFirstSduGoesAndTheCounterIsTheOccupancy) {
  Pdpc pdpc({}, Rng(1));
  EXPECT_EQ(arrive(pdpc, 29), Verdict::pass);
  EXPECT_EQ(arrive(pdpc, 30), Verdict::drop_front);
  EXPECT_EQ(pdpc.counter(), 45'000u);
}

TEST_F(PdpcTest, NoneFollowsUntilAsMuchWasDelivered) {
  Pdpc pdpc({}, Rng(1));
  arrive(pdpc, 30);
  EXPECT_EQ(arrive(pdpc, 40), Verdict::pass);
  for (int i = 0; i < 29; ++i) deliver(pdpc, 1500);
  EXPECT_EQ(pdpc.counter(), 1'500u);
  EXPECT_EQ(arrive(pdpc, 30), Verdict::pass);
  deliver(pdpc, 2000);
  EXPECT_EQ(pdpc.counter(), 0u) << "it stops at nothing";
  EXPECT_EQ(arrive(pdpc, 31), Verdict::drop_front);
  EXPECT_EQ(pdpc.counter(), 46'500u);
}

TEST_F(PdpcTest, TheCounterKeepsRunningAcrossAReconfiguration) {
  Pdpc pdpc({}, Rng(1));
  arrive(pdpc, 30);
  deliver(pdpc, 1500);
  pdpc.reconfigure({.maxth = {10}}, occupancy(29), Time{});
  EXPECT_EQ(pdpc.counter(), 43'500u);
  EXPECT_EQ(arrive(pdpc, 29), Verdict::pass);
}

TEST_F(PdpcTest, AThresholdInBytesIsComparedInBytes) {
  Pdpc pdpc({.maxth = {3000, true}}, Rng(1));
  EXPECT_EQ(pdpc.on_enqueue(sdu, {70, 2'999, 0, 70}, Time{}), Verdict::pass);
  EXPECT_EQ(pdpc.on_enqueue(sdu, {2, 3'000, 0, 2}, Time{}), Verdict::drop_front);
}

TEST_F(PdpcTest, WithTwoThresholdsOneInTwentyOneIsDroppedBetweenThem) {
  Pdpc pdpc({.form = Pdpc::Form::two_thresholds}, Rng(1));
  EXPECT_EQ(arrive(pdpc, 9), Verdict::pass);
  EXPECT_EQ(arrive(pdpc, 10), Verdict::drop_front);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(arrive(pdpc, 20), Verdict::pass) << i;
  EXPECT_EQ(arrive(pdpc, 20), Verdict::drop_front);
}

TEST_F(PdpcTest, WithTwoThresholdsTheCounterRestsBelowAndNoneIsSparedAbove) {
  Pdpc pdpc({.form = Pdpc::Form::two_thresholds}, Rng(1));
  arrive(pdpc, 10);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(arrive(pdpc, 9), Verdict::pass);
  EXPECT_EQ(pdpc.counter(), 20u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(arrive(pdpc, 30), Verdict::drop_front);
}

}  // namespace
}  // namespace dp
