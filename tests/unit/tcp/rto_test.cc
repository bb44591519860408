#include "dataplane/tcp/rto.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

using std::chrono::milliseconds;

RtoSettings settings(int floor = 0, int granularity = 1) {
  return {.initial = milliseconds(3000),
          .floor = milliseconds(floor),
          .ceiling = milliseconds(60'000),
          .granularity = milliseconds(granularity)};
}

TEST(Rto, IsTheInitialOneBeforeASample) {
  EXPECT_EQ(RtoEstimator(settings()).rto(), milliseconds(3000));
  EXPECT_FALSE(RtoEstimator(settings()).known());
}

// RFC 6298 section 2.2: SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR.
TEST(Rto, OfOneSampleIsThreeTimesIt) {
  RtoEstimator rto(settings());
  rto.sample(milliseconds(200));
  EXPECT_EQ(rto.srtt(), milliseconds(200));
  EXPECT_EQ(rto.rttvar(), milliseconds(100));
  EXPECT_EQ(rto.rto(), milliseconds(600));
}

// Section 2.3: RTTVAR = 3/4 100 + 1/4 |200 - 360| = 115, SRTT = 7/8 200 + 1/8 360 = 220.
TEST(Rto, OfASecondSampleFollowsBothFilters) {
  RtoEstimator rto(settings());
  rto.sample(milliseconds(200));
  rto.sample(milliseconds(360));
  EXPECT_EQ(rto.srtt(), milliseconds(220));
  EXPECT_EQ(rto.rttvar(), milliseconds(115));
  EXPECT_EQ(rto.rto(), milliseconds(220 + 4 * 115));
}

// RFC 7323 appendix G: alpha' = alpha / 4, beta' = beta / 4.
TEST(Rto, OfManySamplesARoundTripWeighsEachLess) {
  RtoEstimator rto(settings());
  rto.sample(milliseconds(200));
  rto.sample(milliseconds(520), 4);
  EXPECT_EQ(rto.srtt(), milliseconds(210));
  EXPECT_EQ(rto.rttvar(), std::chrono::microseconds(113'750));
}

TEST(Rto, OfManySamplesARoundTripWeighsEachInFullIfSetSo) {
  RtoSettings before_2014 = settings();
  before_2014.weigh = false;
  RtoEstimator rto(before_2014);
  rto.sample(milliseconds(200));
  rto.sample(milliseconds(360), 4);
  EXPECT_EQ(rto.srtt(), milliseconds(220));
  EXPECT_EQ(rto.rttvar(), milliseconds(115));
}

TEST(Rto, KeepsToItsFloorAndItsCeiling) {
  RtoEstimator rto(settings(1000));
  rto.sample(milliseconds(10));
  EXPECT_EQ(rto.rto(), milliseconds(1000));
  RtoEstimator slow(settings());
  slow.sample(milliseconds(50'000));
  EXPECT_EQ(slow.rto(), milliseconds(60'000));
}

TEST(Rto, OfASteadyPathIsTheRoundTripAndATick) {
  RtoEstimator rto(settings(0, 100));
  for (int i = 0; i < 200; ++i) rto.sample(milliseconds(500));
  EXPECT_NEAR(static_cast<double>(rto.rto().count()), 600e6, 1e3);
}

TEST(Rto, TimesInWholeTicks) {
  RtoEstimator rto(settings(0, 100));
  rto.sample(milliseconds(201));
  EXPECT_EQ(rto.srtt(), milliseconds(300));
}

TEST(Rto, DoublesWithEachBackOffUpToTheCeiling) {
  RtoEstimator rto(settings(1000));
  rto.sample(milliseconds(100));
  std::vector<long> seconds;
  for (int i = 0; i < 9; ++i) {
    seconds.push_back(rto.rto().count() / 1'000'000'000);
    rto.back_off();
  }
  EXPECT_EQ(seconds, (std::vector<long>{1, 2, 4, 8, 16, 32, 60, 60, 60}));
}

TEST(Rto, StaysBackedOffUntilTheNextSample) {
  RtoEstimator rto(settings(1000));
  rto.sample(milliseconds(100));
  for (int i = 0; i < 20; ++i) rto.back_off();
  EXPECT_EQ(rto.rto(), milliseconds(60'000));
  rto.sample(milliseconds(100));
  EXPECT_EQ(rto.rto(), milliseconds(1000));
}

TEST(Rto, AfterASynThatTimedOutIsAtLeastThreeSeconds) {
  RtoSettings s = settings();
  s.initial = milliseconds(1000);
  RtoEstimator rto(s);
  rto.back_off();
  rto.distrust_handshake();
  EXPECT_EQ(rto.rto(), milliseconds(3000));
}

}  // namespace
}  // namespace dp
