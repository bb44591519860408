// The rate of a user while it has something to send: what measures it, what it remembers, and what it does
// not forget while the user is idle.
#include "dataplane/sched/served_rate.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

constexpr double kPacket = 12'000;  // bit
constexpr std::int64_t kMs = 1'000'000;

// One packet after the other at a rate, as a channel with one transmission at a time sends them.
class Sender {
 public:
  // `packets` arrive together at `at` and are sent one after another; the answer is when the last has left.
  Time send(int packets, double rate, Time at) {
    served.begin(at);
    for (int i = 0; i < packets; ++i) {
      at += Duration{static_cast<std::int64_t>(kPacket * 1e9 / rate)};
      served.count(kPacket, at);
    }
    served.end();
    return at;
  }
  ServedRate served;
};

TEST(ServedRate, IsNotKnownBeforeAnythingWasServed) {
  ServedRate served;
  EXPECT_EQ(served.rate(), 0u);
  served.begin(time_ns(5));
  EXPECT_EQ(served.rate(), 0u);
}

TEST(ServedRate, IsThatOfTheFirstPacketAtOnce) {
  Sender sender;
  sender.send(1, 4e6, time_ns(kMs));
  EXPECT_NEAR(static_cast<double>(sender.served.rate()), 4e6, 10);
}

// A window of two packets a round trip of 100 ms is a sixteenth of the link.
TEST(ServedRate, IsTheLinksHoweverLittleIsSent) {
  Sender sender;
  Time at{};
  for (int i = 0; i < 50; ++i) at = sender.send(2, 4e6, at) + Duration{94 * kMs};
  EXPECT_NEAR(static_cast<double>(sender.served.rate()), 4e6, 100);
}

TEST(ServedRate, IsHeldWhileIdle) {
  Sender sender;
  const Time end = sender.send(100, 4e6, Time{});
  const std::uint64_t rate = sender.served.rate();
  sender.served.begin(end + Duration{60'000 * kMs});
  EXPECT_EQ(sender.served.rate(), rate);
  sender.served.count(kPacket, end + Duration{60'003 * kMs});
  EXPECT_NEAR(static_cast<double>(sender.served.rate()), 4e6, 100);
}

// Backlogged time counts for half after one length of the memory.
TEST(ServedRate, FollowsAnotherRateWithinItsMemory) {
  for (const double fresh : {1e6, 16e6}) {
    Sender sender;
    Time at = sender.send(500, 4e6, Time{});
    const double memory = static_cast<double>(ServedRate::kMemory.count()) * 1e-9;
    at = sender.send(static_cast<int>(fresh * memory / kPacket), fresh, at);
    EXPECT_NEAR(static_cast<double>(sender.served.rate()), fresh + (4e6 - fresh) * std::exp(-1),
                std::abs(fresh - 4e6) * 0.06)
        << fresh;
    sender.send(static_cast<int>(4 * fresh * memory / kPacket), fresh, at);
    EXPECT_NEAR(static_cast<double>(sender.served.rate()), fresh, std::abs(fresh - 4e6) * 0.03) << fresh;
  }
}

TEST(ServedRate, OfAnOutageIsTimeInWhichNothingWasServed) {
  ServedRate served;
  served.begin(Time{});
  Time at{};
  for (int i = 0; i < 100; ++i) served.count(kPacket, at += Duration{3 * kMs});
  served.count(kPacket, at += Duration{1'000 * kMs});
  // 100 ms at 4 Mbit/s and a packet, over 1100 ms.
  EXPECT_NEAR(static_cast<double>(served.rate()), 412e3 / 1.1, 5e3);
}

TEST(ServedRate, CountsNoTimeInWhichTheModeStoodStill) {
  ServedRate served;
  served.begin(Time{});
  served.count(kPacket, time_ns(3 * kMs));
  served.postpone(Duration{500 * kMs});
  served.count(kPacket, time_ns(506 * kMs));
  EXPECT_NEAR(static_cast<double>(served.rate()), 4e6, 10);
}

TEST(ServedRate, NeitherTimeThatGoesBackNorServiceWhileIdleCounts) {
  ServedRate served;
  served.count(kPacket, time_ns(kMs));
  EXPECT_EQ(served.rate(), 0u);
  served.begin(time_ns(10 * kMs));
  served.count(kPacket, time_ns(9 * kMs));
  EXPECT_EQ(served.rate(), 0u) << "no time has passed";
  served.count(kPacket, time_ns(16 * kMs));
  EXPECT_NEAR(static_cast<double>(served.rate()), 4e6, 10);
}

// A shaper whose rate wanders as a recorded link's does, with a load of bursts and breaks.
TEST(ServedRate, FollowsAShaperOverAWanderingRate) {
  Rng rng(7);
  Sender sender;
  Time at{};
  double doublings = 2, off = 0;
  int looks = 0;
  for (int step = 0; step < 3'000; ++step) {
    doublings = std::clamp(doublings + (2 * rng.uniform() - 1) * 0.2, 0.0, 4.0);
    const double rate = 5e5 * std::exp2(doublings);
    at = sender.send(1 + static_cast<int>(8 * rng.uniform()), rate, at);
    if (rng.chance(0.3)) at += Duration{static_cast<std::int64_t>(500 * kMs * rng.uniform())};
    if (step < 100) continue;
    off += std::abs(std::log2(static_cast<double>(sender.served.rate()) / rate));
    ++looks;
  }
  EXPECT_LT(off / looks, 0.4) << "doublings, on average, of a range of four";
}

}  // namespace
}  // namespace dp
