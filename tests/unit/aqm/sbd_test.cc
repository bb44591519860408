// 002 section 3 by hand, with the parameters of its Table 3.
#include "dataplane/aqm/sbd.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Sbd::Config k384{.minth = {20}, .t_r = milliseconds{200}};
constexpr Sbd::Config k128{.minth = {15}, .t_r = milliseconds{1300}};
constexpr Sbd::Config k64{.minth = {10}, .t_r = milliseconds{2500}};
constexpr Time kStart = Time{} + milliseconds{1000};

QueueView sbd_queue(std::uint32_t sdus) { return {sdus, sdus * 1500, 384'000, sdus}; }

class SbdTest : public ::testing::Test {
 protected:
  Verdict arrive(Sbd& sbd, std::uint32_t sdus, Time now) { return sbd.on_enqueue(sdu, sbd_queue(sdus), now); }
  // From the arming to the deadline, in microseconds.
  std::int64_t c_n(const Sbd::Config& config, std::uint32_t sdus) {
    Sbd sbd(config, Rng(1));
    EXPECT_EQ(arrive(sbd, sdus, kStart), Verdict::pass);
    return std::chrono::duration_cast<microseconds>(sbd.deadline() - kStart).count();
  }
  Sdu sdu{};
};

TEST_F(SbdTest, CnIsAlphaTimesTrOverWhatIsLeftToMaxth) {
  EXPECT_EQ(c_n(k384, 20), 66'666) << "5 * 200 / (40 - 25)";
  EXPECT_EQ(c_n(k384, 30), 200'000) << "5 * 200 / (40 - 35)";
  EXPECT_EQ(c_n(k64, 10), 500'000) << "5 * 2500 / (40 - 15)";
}

TEST_F(SbdTest, NearMaxthTheThresholdIsMaxthAndCnIsTr) {
  Sbd sbd(k384, Rng(1));
  arrive(sbd, 37, kStart);
  EXPECT_EQ(sbd.threshold(), 40);
  EXPECT_EQ(sbd.deadline() - kStart, Duration(milliseconds{200}));
}

TEST_F(SbdTest, GrowthIsFreeBelowMinthLessAlpha) {
  Sbd sbd(k384, Rng(1));
  arrive(sbd, 14, kStart);
  EXPECT_EQ(sbd.deadline(), kNever);
  arrive(sbd, 15, kStart);
  EXPECT_EQ(sbd.threshold(), 20);
}

TEST_F(SbdTest, GrowthByAlphaWithinCnCostsTheFirstSduAndNoneMoreDuringTr) {
  Sbd sbd(k384, Rng(1));
  arrive(sbd, 20, kStart);
  EXPECT_EQ(arrive(sbd, 24, kStart + milliseconds{10}), Verdict::pass);
  EXPECT_EQ(arrive(sbd, 25, kStart + milliseconds{20}), Verdict::drop_front);
  EXPECT_TRUE(sbd.reacting());
  EXPECT_EQ(sbd.deadline(), kStart + milliseconds{220});
  EXPECT_EQ(arrive(sbd, 39, kStart + milliseconds{30}), Verdict::pass);
  sbd.on_timer(sbd_queue(26), sbd.deadline());
  EXPECT_FALSE(sbd.reacting());
  EXPECT_EQ(sbd.threshold(), 31) << "armed anew when T_r is over";
}

TEST_F(SbdTest, GrowthSlowerThanTheSlopeCostsNothing) {
  Sbd sbd(k384, Rng(1));
  arrive(sbd, 20, kStart);
  sbd.on_timer(sbd_queue(23), sbd.deadline());
  EXPECT_EQ(sbd.threshold(), 28);
  EXPECT_EQ(arrive(sbd, 27, sbd.deadline() - milliseconds{1}), Verdict::pass);
}

TEST_F(SbdTest, ARunningCnIsWhatItWouldHaveBeenUnderTheNewParameters) {
  Sbd sbd(k384, Rng(1));
  arrive(sbd, 20, kStart);
  sbd.reconfigure(k128, sbd_queue(21), kStart + milliseconds{30});
  EXPECT_EQ(sbd.threshold(), 25);
  EXPECT_EQ(std::chrono::duration_cast<microseconds>(sbd.deadline() - kStart).count(), 433'333)
      << "5 * 1300 / (40 - 25)";
}

TEST_F(SbdTest, ACnThatWouldBeOverAlreadyEndsNow) {
  Sbd sbd(k128, Rng(1));
  arrive(sbd, 20, kStart);
  sbd.reconfigure(k384, sbd_queue(20), kStart + milliseconds{100});
  EXPECT_EQ(sbd.deadline(), kStart + milliseconds{100});
}

TEST_F(SbdTest, TrKeepsRunningAcrossAReconfiguration) {
  Sbd sbd(k384, Rng(1));
  arrive(sbd, 20, kStart);
  ASSERT_EQ(arrive(sbd, 25, kStart), Verdict::drop_front);
  sbd.reconfigure(k64, sbd_queue(25), kStart + milliseconds{50});
  EXPECT_TRUE(sbd.reacting());
  EXPECT_EQ(sbd.deadline(), kStart + milliseconds{200});
}

TEST_F(SbdTest, TimersEndAtMultiplesOfTheGranularity) {
  Sbd::Config config = k384;
  config.granularity = milliseconds{10};
  EXPECT_EQ(c_n(config, 20), 70'000);
}

TEST_F(SbdTest, WithEcnTheFirstSduIsMarked) {
  Sbd::Config config = k384;
  config.ecn = true;
  Sbd sbd(config, Rng(1));
  arrive(sbd, 20, kStart);
  EXPECT_EQ(arrive(sbd, 25, kStart), Verdict::mark_front);
}

}  // namespace
}  // namespace dp
