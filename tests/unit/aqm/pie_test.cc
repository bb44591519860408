#include "dataplane/aqm/pie.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

constexpr std::uint64_t kByteAMicrosecond = 8'000'000;  // bit/s

QueueView queue_of(std::uint32_t bytes) {
  return {.sdus = bytes / 1000,
          .bytes = bytes,
          .rate = kByteAMicrosecond,
          .waiting = bytes / 1000,
          .backlog = bytes};
}
Pie::Config quiet() {
  Pie::Config c;
  c.max_burst = {};
  c.derandomise = false;
  return c;
}

class PieTest : public ::testing::Test {
 protected:
  Verdict arrive(Pie& pie, std::uint32_t bytes) {
    Sdu sdu{};
    sdu.ip_len = 1000;
    return pie.on_enqueue(sdu, queue_of(bytes), now);
  }
  // `times` periodic updates at a queue of `bytes`.
  void look(Pie& pie, std::uint32_t bytes, int times = 1) {
    for (; times > 0; --times) {
      ASSERT_EQ(pie.deadline(), now + Duration{15'000'000});
      now = pie.deadline();
      pie.on_timer(queue_of(bytes), now);
    }
  }
  Time now = time_ns(1'000'000'000);
};

// RFC 8033 section 4.2: 0.125 x (35 - 15 ms) + 1.25 x (35 - 0 ms) = 0.04625, over 2048 while p < 1e-6.
TEST_F(PieTest, TheFirstStepsAreThoseOfTheRfc) {
  Pie pie(quiet(), Rng(1));
  arrive(pie, 1000);
  look(pie, 35'000);
  EXPECT_DOUBLE_EQ(pie.probability(), 0.04625 / 2048);
  // Now p = 2.26e-5, in the step of 1/128; no growth: 0.125 x 20 ms.
  look(pie, 35'000);
  EXPECT_DOUBLE_EQ(pie.probability(), 0.04625 / 2048 + 0.0025 / 128);
}

TEST_F(PieTest, TheStepsGrowWithTheProbability) {
  Pie pie(quiet(), Rng(1));
  arrive(pie, 1000);
  double before = 0;
  look(pie, 1'000'000);
  // Held at 1 s: each look adds 0.125 x 0.985 by the tuning of where p stands, at most 0.02 from 0.1 on.
  for (int i = 0; i < 90; ++i) {
    before = pie.probability();
    look(pie, 1'000'000);
    const double tuning = before < 1e-6   ? 1.0 / 2048
                          : before < 1e-5 ? 1.0 / 512
                          : before < 1e-4 ? 1.0 / 128
                          : before < 1e-3 ? 1.0 / 32
                          : before < 1e-2 ? 1.0 / 8
                          : before < 1e-1 ? 1.0 / 2
                                          : 1.0;
    const double step = before < 0.1 ? 0.123125 * tuning : 0.02;
    ASSERT_NEAR(pie.probability(), std::min(1.0, before + step), 1e-12) << i;
  }
  EXPECT_EQ(pie.probability(), 1.0);
}

TEST_F(PieTest, DecaysAndRestsWhenTheQueueStaysEmpty) {
  Pie pie(quiet(), Rng(1));
  arrive(pie, 1000);
  look(pie, 1'000'000, 30);
  const double high = pie.probability();
  look(pie, 0);
  const double after = pie.probability();
  // 0.125 x -15 ms + 1.25 x -1 s, not halved from 0.1 on; then 0.125 x -15 ms, and 0.98 of it.
  EXPECT_NEAR(after, std::max(0.0, high - 0.001875 - 1.25), 1e-12);
  for (int i = 0; i < 100'000 && pie.deadline() != kNever; ++i) look(pie, 0);
  EXPECT_EQ(pie.deadline(), kNever);
  EXPECT_EQ(pie.probability(), 0.0);
  arrive(pie, 1000);
  EXPECT_EQ(pie.deadline(), now + Duration{15'000'000});
}

TEST_F(PieTest, AnEmptyQueueMultipliesByPointNineEight) {
  Pie::Config c = quiet();
  c.beta = 0;
  Pie pie(c, Rng(1));
  arrive(pie, 1000);
  look(pie, 1'000'000, 30);
  const double high = pie.probability();
  ASSERT_GT(high, 0.2);
  look(pie, 0);
  EXPECT_NEAR(pie.probability(), high - 0.001875, 1e-12) << "the look before it was not empty";
  look(pie, 0);
  EXPECT_NEAR(pie.probability(), (high - 2 * 0.001875) * 0.98, 1e-12);
}

TEST_F(PieTest, TheFirstBurstPasses) {
  Pie::Config c = quiet();
  c.max_burst = std::chrono::milliseconds{150};
  Pie pie(c, Rng(1));
  arrive(pie, 1000);
  look(pie, 10'000'000, 9);
  EXPECT_GT(pie.burst_allowance(), Duration{});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(arrive(pie, 10'000'000), Verdict::pass);
  look(pie, 10'000'000, 90);
  EXPECT_EQ(pie.burst_allowance(), Duration{});
  EXPECT_EQ(pie.probability(), 1.0);
  EXPECT_EQ(arrive(pie, 10'000'000), Verdict::drop);
}

TEST_F(PieTest, TwoPacketsOrLessBeforeAnArrivalAreSafe) {
  Pie pie(quiet(), Rng(1));
  arrive(pie, 1000);
  look(pie, 10'000'000, 90);
  ASSERT_EQ(pie.probability(), 1.0);
  EXPECT_EQ(arrive(pie, 4000), Verdict::pass);
  EXPECT_EQ(arrive(pie, 4001), Verdict::drop);
}

TEST_F(PieTest, WithoutDerandomisationItDropsAsOftenAsTheProbabilitySays) {
  Pie pie(quiet(), Rng(3));
  arrive(pie, 1000);
  while (pie.probability() < 0.25) look(pie, 1'000'000);
  int drops = 0;
  for (int i = 0; i < 100'000; ++i) drops += arrive(pie, 1'000'000) == Verdict::drop;
  EXPECT_NEAR(drops / 1e5, pie.probability(), 0.01);
}

// Section 5.4: none before the probabilities add up to 0.85, one at 8.5 at the latest.
TEST_F(PieTest, DerandomisationKeepsDropsApart) {
  Pie::Config c = quiet();
  c.derandomise = true;
  Pie pie(c, Rng(3));
  arrive(pie, 1000);
  while (pie.probability() < 0.05) look(pie, 1'000'000);
  const double p = pie.probability();
  int gap = 0, least = 1 << 30, most = 0;
  for (int i = 0; i < 100'000; ++i) {
    ++gap;
    if (arrive(pie, 1'000'000) == Verdict::pass) continue;
    least = std::min(least, gap);
    most = std::max(most, gap);
    gap = 0;
  }
  EXPECT_GE(least * p, 0.85);
  EXPECT_LT((least - 1) * p, 0.86) << "and not much later either";
  EXPECT_LE((most - 1) * p, 8.5);
}

TEST_F(PieTest, WithEcnItMarksBelowTenPercentOnly) {
  Pie::Config c = quiet();
  c.ecn = true;
  Pie pie(c, Rng(3));
  arrive(pie, 1000);
  while (pie.probability() < 0.04) look(pie, 1'000'000);
  ASSERT_LT(pie.probability(), 0.1);
  bool marked = false;
  for (int i = 0; i < 1000; ++i) {
    const Verdict v = arrive(pie, 1'000'000);
    EXPECT_NE(v, Verdict::drop);
    marked = marked || v == Verdict::mark;
  }
  EXPECT_TRUE(marked);
  while (pie.probability() < 0.1) look(pie, 1'000'000);
  for (int i = 0; i < 1000; ++i) EXPECT_NE(arrive(pie, 1'000'000), Verdict::mark);
}

TEST_F(PieTest, ARateChangeIsSeenAtTheNextLook) {
  Pie pie(quiet(), Rng(1));
  arrive(pie, 1000);
  QueueView slow = queue_of(15'000);
  slow.rate = kByteAMicrosecond / 2;
  now = pie.deadline();
  pie.on_timer(slow, now);
  EXPECT_DOUBLE_EQ(pie.probability(), (0.125 * 0.015 + 1.25 * 0.030) / 2048);
}

}  // namespace
}  // namespace dp
