#include "dataplane/aqm/codel.h"

#include <cstddef>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace dp {
namespace {

Time at(std::int64_t ms) { return time_ns(ms * 1'000'000); }

// One SDU that has stood for `sojourn` ms is to be sent at `now` ms, with `behind` bytes behind it.
Verdict ask(Codel& codel, std::int64_t now, std::int64_t sojourn, std::uint32_t behind = 15'000,
            std::uint8_t ecn = kNotEct) {
  Sdu sdu{};
  sdu.ip_len = 1500;
  sdu.arrival = at(now - sojourn);
  sdu.ecn = ecn;
  return codel.on_dequeue(sdu, {.sdus = 11, .bytes = behind + 1500, .rate = 1, .backlog = behind + 1500},
                          at(now));
}

Codel codel_with(bool ecn = false) {
  Codel::Config config;
  config.ecn = ecn;
  return Codel(config, Rng(1));
}

TEST(Codel, DropsAfterOneIntervalAboveTargetAndNotBefore) {
  Codel codel = codel_with();
  EXPECT_EQ(ask(codel, 1000, 6), Verdict::pass);
  EXPECT_EQ(ask(codel, 1099, 50), Verdict::pass);
  EXPECT_EQ(ask(codel, 1100, 50), Verdict::drop);
  EXPECT_EQ(ask(codel, 1100, 50), Verdict::pass) << "the next goes out whatever its delay";
  EXPECT_TRUE(codel.state().dropping());
}

TEST(Codel, ASojournBelowTargetBeginsTheIntervalAnew) {
  Codel codel = codel_with();
  ask(codel, 1000, 6);
  EXPECT_EQ(ask(codel, 1050, 4), Verdict::pass);
  EXPECT_EQ(ask(codel, 1101, 6), Verdict::pass);
  EXPECT_EQ(ask(codel, 1200, 6), Verdict::pass);
  EXPECT_EQ(ask(codel, 1201, 6), Verdict::drop);
}

TEST(Codel, DoesNotDropWhenNoMoreThanAnMtuStandsBehind) {
  Codel codel = codel_with();
  ask(codel, 1000, 500);
  EXPECT_EQ(ask(codel, 1200, 500, 1500), Verdict::pass);
  EXPECT_EQ(ask(codel, 1300, 500, 1501), Verdict::pass) << "a new interval";
  EXPECT_EQ(ask(codel, 1400, 500, 1501), Verdict::drop);
}

// RFC 8289 section 5.3: 100 ms / sqrt(n) after each other; 100, 70.710, 57.735, 50 ms.
TEST(Codel, DropsFollowTheInverseSquareRoot) {
  Codel codel = codel_with();
  ask(codel, 1000, 50);
  ASSERT_EQ(ask(codel, 1100, 50), Verdict::drop);
  ask(codel, 1100, 50);
  std::vector<std::int64_t> drops;
  for (std::int64_t t = 1101; t < 1400; ++t) {
    while (ask(codel, t, 50) == Verdict::drop) drops.push_back(t);
  }
  EXPECT_EQ(drops, (std::vector<std::int64_t>{1200, 1271, 1329, 1379}));
  EXPECT_EQ(codel.state().count(), 5u);
}

TEST(Codel, ALatePollDropsAllThatWereDueInOneGo) {
  Codel codel = codel_with();
  ask(codel, 1000, 50);
  ask(codel, 1100, 50);
  ask(codel, 1100, 50);
  int drops = 0;
  while (ask(codel, 1330, 50) == Verdict::drop) ++drops;
  EXPECT_EQ(drops, 3) << "those of 1200, 1270.7 and 1328.4";
}

TEST(Codel, GoesOnFromTheRateItHadIfThatWasNotLongAgo) {
  Codel codel = codel_with();
  ask(codel, 1000, 50);
  for (std::int64_t t = 1100; t < 1400; ++t) {
    while (ask(codel, t, 50) == Verdict::drop) {
    }
  }
  ASSERT_EQ(codel.state().count(), 5u);
  EXPECT_EQ(ask(codel, 1400, 1), Verdict::pass);
  EXPECT_FALSE(codel.state().dropping());
  ask(codel, 1410, 50);
  EXPECT_EQ(ask(codel, 1510, 50), Verdict::drop);
  EXPECT_EQ(codel.state().count(), 4u) << "5 less the 1 that it had begun with";
  EXPECT_EQ(codel.state().drop_next(), at(1510) + Duration{50'000'000});
}

TEST(Codel, BeginsWithOneDropAgainAfterSixteenIntervals) {
  Codel codel = codel_with();
  ask(codel, 1000, 50);
  for (std::int64_t t = 1100; t < 1400; ++t) {
    while (ask(codel, t, 50) == Verdict::drop) {
    }
  }
  ask(codel, 1400, 1);
  ask(codel, 4000, 50);
  EXPECT_EQ(ask(codel, 4100, 50), Verdict::drop);
  EXPECT_EQ(codel.state().count(), 1u);
}

TEST(Codel, WithEcnMarksOnceAtEachTimeAndGoesOn) {
  Codel codel = codel_with(true);
  ask(codel, 1000, 50, 15'000, 2);
  EXPECT_EQ(ask(codel, 1100, 50, 15'000, 2), Verdict::mark);
  EXPECT_EQ(ask(codel, 1101, 50, 15'000, 2), Verdict::pass);
  EXPECT_EQ(ask(codel, 1200, 50, 15'000, 2), Verdict::mark);
  EXPECT_EQ(ask(codel, 1201, 50, 15'000, 2), Verdict::pass);
  EXPECT_EQ(ask(codel, 1271, 50, 15'000, kNotEct), Verdict::drop);
}

TEST(Codel, APauseMovesItsTimes) {
  Codel codel = codel_with();
  ask(codel, 1000, 50);
  codel.postpone(Duration{500'000'000});
  EXPECT_EQ(ask(codel, 1599, 600), Verdict::pass);
  EXPECT_EQ(ask(codel, 1600, 600), Verdict::drop);
}

// deque() of RFC 8289 section 5.5 as it is printed, over a queue of its own.
class PrintedCodel {
 public:
  struct Packet {
    Time arrival;
    std::uint32_t bytes;
    int number;
  };
  std::deque<Packet> queue;
  std::vector<int> dropped;

  // The number of the packet sent; -1 when there is none.
  int deque(Time now) {
    Found r = dodeque(now);
    if (dropping_) {
      if (!r.ok) dropping_ = false;
      while (now >= next_ && dropping_) {
        dropped.push_back(r.number);
        ++count_;
        r = dodeque(now);
        if (!r.ok) {
          dropping_ = false;
        } else {
          next_ = law(next_);
        }
      }
    } else if (r.ok) {
      dropped.push_back(r.number);
      r = dodeque(now);
      dropping_ = true;
      const std::uint32_t delta = count_ - last_;
      count_ = 1;
      if (delta > 1 && now - next_ < 16 * kInterval) count_ = delta;
      next_ = law(now);
      last_ = count_;
    }
    return r.number;
  }

 private:
  struct Found {
    int number;
    bool ok;
  };
  static constexpr Duration kTarget{5'000'000}, kInterval{100'000'000};

  Found dodeque(Time now) {
    if (queue.empty()) return first_above_ = 0, Found{-1, false};
    const Packet p = queue.front();
    queue.pop_front();
    std::uint32_t bytes = 0;
    for (const Packet& left : queue) bytes += left.bytes;
    if (now - p.arrival < kTarget || bytes <= 1500) return first_above_ = 0, Found{p.number, false};
    if (first_above_ == 0) return first_above_ = ns(now + kInterval), Found{p.number, false};
    return {p.number, ns(now) >= first_above_};
  }
  Time law(Time t) const {
    return t +
           Duration{static_cast<std::int64_t>(static_cast<double>(kInterval.count()) / std::sqrt(count_))};
  }

  std::int64_t first_above_ = 0;
  Time next_{};
  std::uint32_t count_ = 0, last_ = 0;
  bool dropping_ = false;
};

TEST(Codel, DecidesAsThePrintedLoopDoesOverARandomLoad) {
  Rng rng(7);
  PrintedCodel printed;
  Codel codel = codel_with();
  std::deque<PrintedCodel::Packet> queue;
  std::vector<int> dropped;
  Time now{};
  std::size_t sent = 0;
  for (int n = 0; n < 60'000;) {
    // Loads that rise and fall, of packets of any size.
    now += Duration{100'000 + rng.below(2'000'000)};
    const std::uint32_t arrivals = rng.below(n / 5000 % 2 == 0 ? 4 : 2);
    for (std::uint32_t i = 0; i < arrivals; ++i, ++n) {
      const PrintedCodel::Packet p{now, 40 + rng.below(1461), n};
      queue.push_back(p);
      printed.queue.push_back(p);
    }
    int mine = -1;
    while (!queue.empty() && mine < 0) {
      const auto p = queue.front();
      std::uint32_t backlog = 0;
      for (const auto& q : queue) backlog += q.bytes;
      Sdu sdu{};
      sdu.ip_len = p.bytes;
      sdu.arrival = p.arrival;
      queue.pop_front();
      if (codel.on_dequeue(sdu, {.sdus = 1, .bytes = backlog, .rate = 1, .backlog = backlog}, now) ==
          Verdict::pass) {
        mine = p.number;
        ++sent;
      } else {
        dropped.push_back(p.number);
      }
    }
    ASSERT_EQ(mine, printed.deque(now)) << "at " << ns(now);
    if (n == 0) ++n;
  }
  EXPECT_EQ(dropped, printed.dropped);
  EXPECT_GT(dropped.size(), 100u);
  EXPECT_GT(sent, 1000u);
}

}  // namespace
}  // namespace dp
