// 000 sections 3 and 5 by hand: the formula, the distance that it keeps, and what happens when the occupancy
// or PDPC's counter changes meanwhile.
#include "tests/unit/ack/stages/ack_rate_bench.h"

namespace dp::test {
namespace {

// 000 section 6: combined schemes 1 and 2, ratios of 12.5 and 10 ms an SDU.
constexpr AckRate::Config kScheme1{.maxd = milliseconds{500}, .maxth = {40}};
constexpr AckRate::Config kScheme2{.maxd = milliseconds{400},
                                   .minth = {10},
                                   .maxth = {40},
                                   .alpha = 0.5,
                                   .f2 = AckRate::Second::formula,
                                   .f2_alpha = 1};

class AckRateTest : public AckRateBench {
 protected:
  // In microseconds, all SDUs waiting.
  static std::int64_t t_id(const AckRate::Config& config, std::uint32_t sdus, std::uint64_t counter = 0) {
    BufferReading b;
    b.sdus = b.waiting_sdus = sdus;
    b.bytes = b.waiting_bytes = 1500 * sdus;
    b.discard_counter = counter;
    return AckRate::t_id(config, b).count() / 1000;
  }
};

TEST_F(AckRateTest, WithAlphaOneTheDistanceIsMaxdInProportionToTheOccupancy) {
  EXPECT_EQ(t_id(kScheme1, 0), 0);
  EXPECT_EQ(t_id(kScheme1, 1), 12'500);
  EXPECT_EQ(t_id(kScheme1, 10), 125'000);
  EXPECT_EQ(t_id(kScheme1, 40), 500'000);
  EXPECT_EQ(t_id(kScheme1, 50), 500'000) << "beyond maxth";
}

TEST_F(AckRateTest, BelowMinthThereIsNoDistanceAndFromThereItGrowsByTheRoot) {
  EXPECT_EQ(t_id(kScheme2, 9), 0);
  EXPECT_EQ(t_id(kScheme2, 10), 0);
  EXPECT_EQ(t_id(kScheme2, 13), 126'491) << "400 * sqrt(3 / 30)";
  EXPECT_EQ(t_id(kScheme2, 40), 400'000);
}

TEST_F(AckRateTest, AlphaMakesTheFormulaAStepALineOrNothing) {
  AckRate::Config config{.maxd = milliseconds{100}, .minth = {10}, .maxth = {20}, .alpha = 0};
  EXPECT_EQ(t_id(config, 9), 0);
  EXPECT_EQ(t_id(config, 10), 100'000);
  config.alpha = 0.2;
  EXPECT_EQ(t_id(config, 11), 63'095) << "100 * 0.1^0.2";
  config.alpha = 100;
  EXPECT_EQ(t_id(config, 15), 0);
  EXPECT_EQ(t_id(config, 20), 100'000);
}

TEST_F(AckRateTest, WithMaxthNotAboveMinthItIsAStepAtMinth) {
  const AckRate::Config config{.maxd = milliseconds{100}, .minth = {20}, .maxth = {20}};
  EXPECT_EQ(t_id(config, 19), 0);
  EXPECT_EQ(t_id(config, 20), 100'000);
}

// 000 section 5, rules 2 and 3: below the 140 ms between two ACKs for up to 10 SDUs, about 400 ms at maxth.
TEST_F(AckRateTest, TheSchemesKeepThePapersRules) {
  for (const AckRate::Config& config : {kScheme1, kScheme2}) {
    for (std::uint32_t sdus = 0; sdus <= 10; ++sdus) EXPECT_LT(t_id(config, sdus), 140'000);
    EXPECT_NEAR(static_cast<double>(t_id(config, 40)), 400'000, 100'000);
  }
}

TEST_F(AckRateTest, ThresholdsInBytesAreComparedInBytes) {
  BufferReading b;
  b.waiting_sdus = 70;
  b.waiting_bytes = 3'000;
  EXPECT_EQ(AckRate::t_id({.maxd = milliseconds{100}, .maxth = {6'000, true}}, b), milliseconds{50});
}

TEST_F(AckRateTest, TheOccupancyIsThatOfTheUnstartedOrOfAll) {
  BufferReading b;
  b.sdus = 40;
  b.waiting_sdus = 10;
  AckRate::Config config = kScheme1;
  EXPECT_EQ(AckRate::t_id(config, b), milliseconds{125});
  config.occupancy = Occupancy::full;
  EXPECT_EQ(AckRate::t_id(config, b), milliseconds{500});
}

TEST_F(AckRateTest, WhileTheCounterRunsTheSecondFormulaHolds) {
  EXPECT_EQ(t_id(kScheme1, 40, 1), 0);
  EXPECT_EQ(t_id(kScheme2, 25), 282'842) << "400 * sqrt(1 / 2)";
  EXPECT_EQ(t_id(kScheme2, 25, 1), 200'000);
  AckRate::Config step = kScheme2;
  step.mode = Mode::spacing;
  EXPECT_EQ(t_id(step, 25), 400'000);
  EXPECT_EQ(t_id(step, 25, 1), 200'000);
}

TEST_F(AckRateTest, AcksLeaveAtTheDistanceThatTheOccupancyCallsFor) {
  make(kScheme1);
  at(1000);
  bo(8);
  acks(1, 4);
  EXPECT_EQ(left(), (Lefts{{1000, 1}})) << "the first after a rest does not wait";
  at(2000);
  EXPECT_EQ(left(), (Lefts{{1100, 2}, {1200, 3}, {1300, 4}}));
  acks(5, 5);
  EXPECT_EQ(left(), (Lefts{{2000, 5}}));
}

TEST_F(AckRateTest, WithAnEmptyQueueNothingIsHeldAndTheFirstOfAnotherFlowNeverWaits) {
  make(kScheme2);
  bo(9);
  acks(1, 5);
  ack(1, {.sport = kOther});
  EXPECT_EQ(left().size(), 6u);
  EXPECT_EQ(held(), 0u);
}

TEST_F(AckRateTest, AllFlowsStandInOneQueue) {
  make(kScheme1);
  bo(8);
  acks(1, 2);
  ack(7, {.sport = kOther});
  ack(3);
  at(1000);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {100, 2}, {200, 7}, {300, 3}}));
}

TEST_F(AckRateTest, WhenTheOccupancyFallsWhatWaitsLeavesAsSoonAsItIsDue) {
  make(kScheme1);
  bo(40);
  acks(1, 4);
  at(100);
  bo(16);
  at(199);
  EXPECT_EQ(left(), (Lefts{{0, 1}}));
  at(200);
  EXPECT_EQ(left(), (Lefts{{200, 2}})) << "200 ms after the last, no longer 500";
  at(350);
  bo(4);
  EXPECT_EQ(left(), (Lefts{{350, 3}})) << "50 ms would have been enough: overdue";
  bo(0);
  EXPECT_EQ(left(), (Lefts{{350, 4}})) << "no distance";
}

TEST_F(AckRateTest, WhenTheOccupancyRisesWhatWaitsWaitsLonger) {
  make(kScheme1);
  bo(8);
  acks(1, 2);
  at(50);
  bo(16);
  at(150);
  EXPECT_EQ(left(), (Lefts{{0, 1}}));
  at(1000);
  EXPECT_EQ(left(), (Lefts{{200, 2}}));
}

TEST_F(AckRateTest, WithATtiWhatWaitsIsLookedAtEachTtiAndOneLeaves) {
  AckRate::Config config = kScheme1;
  config.tti = milliseconds{10};
  make(config);
  bo(2);
  acks(1, 2);
  at(22);
  EXPECT_EQ(left(), (Lefts{{0, 1}}));
  at(30);
  EXPECT_EQ(left(), (Lefts{{30, 2}})) << "due since 25";
  bo(40);
  acks(3, 6);
  at(103);
  bo(0);
  EXPECT_TRUE(left().empty());
  at(1000);
  EXPECT_EQ(left(), (Lefts{{110, 3}, {120, 4}, {130, 5}, {140, 6}}));
}

TEST_F(AckRateTest, WithATtiAnAckThatFindsNoneWaitingLeavesAtOnce) {
  AckRate::Config config = kScheme2;
  config.tti = milliseconds{10};
  make(config);
  acks(1, 5);
  EXPECT_EQ(left().size(), 5u);
}

TEST_F(AckRateTest, ADropOfPdpcLetsAllGoUntilItsCounterIsDown) {
  make(kScheme1);
  bo(39);
  acks(1, 4);
  EXPECT_EQ(left(), (Lefts{{0, 1}}));
  at(20);
  counter(60'000);
  EXPECT_EQ(left(), (Lefts{{20, 2}, {20, 3}, {20, 4}}));
  bo(38);
  acks(5, 6);
  EXPECT_EQ(left(), (Lefts{{20, 5}, {20, 6}})) << "whatever the occupancy";
  counter(0);
  acks(7, 7);
  EXPECT_TRUE(left().empty()) << "f1 again";
  at(1000);
  EXPECT_EQ(left(), (Lefts{{495, 7}})) << "475 ms after the last";
}

TEST_F(AckRateTest, ADropOfPdpcSwitchesToTheSecondFormulaAndBackAtZero) {
  make(kScheme2);
  bo(25);
  acks(1, 4);
  counter(37'500);
  at(200);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {200, 2}}));
  counter(1);
  at(400);
  EXPECT_EQ(left(), (Lefts{{400, 3}})) << "down to nearly nothing, not to nothing";
  counter(0);
  at(600);
  EXPECT_TRUE(left().empty());
  at(700);
  EXPECT_EQ(left(), (Lefts{{682, 4}}));
}

TEST_F(AckRateTest, APollThatComesLateLetsGoWhatWasDueAndCountsFromWhenItWas) {
  make(kScheme1);
  bo(8);
  acks(1, 5);
  late(250);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {250, 2}, {250, 3}}));
  at(1000);
  EXPECT_EQ(left(), (Lefts{{300, 4}, {400, 5}}));
}

}  // namespace
}  // namespace dp::test
