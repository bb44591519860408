#include "dataplane/timer/calendar.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

struct Log;
using Cal = Calendar<Log>;
using Node = Timer<Log>;

struct Fired {
  int id;
  Time deadline;
  friend bool operator==(const Fired&, const Fired&) = default;
};

struct Log {
  Time now{};
  std::vector<Fired> fired;
  Cal* calendar = nullptr;
};

struct Probe : Node {
  explicit Probe(int i, Duration again = Duration{0}) : Node(&fire), id(i), period(again) {}
  static void fire(Node& node, Time deadline, Log& log) {
    auto& self = static_cast<Probe&>(node);
    log.fired.push_back({self.id, deadline});
    if (self.period.count() != 0) log.calendar->arm(self, deadline + self.period);
  }
  int id;
  Duration period;
};

class CalendarTest : public ::testing::Test {
 protected:
  CalendarTest() { log.calendar = &calendar; }
  void expire(std::int64_t t) {
    log.now = time_ns(t);
    calendar.expire(log.now, log);
  }
  Cal calendar;
  Log log;
};

TEST_F(CalendarTest, FiresAtTheDeadlineAndNotANanosecondBefore) {
  for (std::int64_t at : {1L, 999L, 1024L, 1025L, 2'000'000L, 3'600'000'000'000L, 40 * 86'400'000'000'000L}) {
    Probe p(1);
    calendar.arm(p, time_ns(at + ns(log.now)));
    const std::int64_t deadline = at + ns(log.now);
    EXPECT_EQ(calendar.next_deadline(), time_ns(deadline));
    log.fired.clear();
    expire(deadline - 1);
    EXPECT_TRUE(log.fired.empty());
    expire(deadline);
    ASSERT_EQ(log.fired.size(), 1u) << at;
    EXPECT_EQ(log.fired[0].deadline, time_ns(deadline));
    EXPECT_EQ(calendar.next_deadline(), kNever);
  }
}

TEST_F(CalendarTest, FiresEqualDeadlinesInOrderOfArming) {
  std::deque<Probe> probes;
  for (int i = 0; i < 50; ++i) calendar.arm(probes.emplace_back(i), time_ns(5'000'000));
  calendar.arm(probes[0], time_ns(5'000'000));  // re-armed: now the last
  expire(5'000'000);
  ASSERT_EQ(log.fired.size(), 50u);
  for (int i = 0; i < 49; ++i) EXPECT_EQ(log.fired[static_cast<std::size_t>(i)].id, i + 1);
  EXPECT_EQ(log.fired.back().id, 0);
}

TEST_F(CalendarTest, WhatIsDueWhenItIsArmedFiresInOrderToo) {
  expire(1'000'000);
  const std::vector<std::int64_t> deadlines{999'000, 999'000,   999'900, 500,
                                            999'900, 1'000'000, 999'000, 1'000'001};
  std::vector<Fired> expected;
  std::deque<Probe> probes;
  for (int i = 0; i < static_cast<int>(deadlines.size()); ++i) {
    const Time deadline = time_ns(deadlines[static_cast<std::size_t>(i)]);
    expected.push_back({i, deadline});
    calendar.arm(probes.emplace_back(i), deadline);
  }
  std::ranges::stable_sort(expected, {}, &Fired::deadline);
  calendar.cancel(probes[4]);
  std::erase_if(expected, [](const Fired& fired) { return fired.id == 4; });
  EXPECT_EQ(calendar.size(), expected.size());
  EXPECT_EQ(calendar.next_deadline(), time_ns(500));
  expire(1'000'000);
  const Fired last = expected.back();
  expected.pop_back();
  EXPECT_EQ(log.fired, expected);
  expire(1'000'001);
  EXPECT_EQ(log.fired.back(), last);
}

TEST_F(CalendarTest, ALatePollServesWhatWasDueInScheduleOrder) {
  Probe fast(1, Duration{300}), slow(2, Duration{1000});
  calendar.arm(fast, time_ns(300));
  calendar.arm(slow, time_ns(1000));
  expire(3'000'000);
  ASSERT_EQ(log.fired.size(), 10'000u + 3'000u);
  EXPECT_TRUE(std::is_sorted(log.fired.begin(), log.fired.end(),
                             [](const Fired& a, const Fired& b) { return a.deadline < b.deadline; }));
}

TEST_F(CalendarTest, ALimitStopsInTheMiddleAndTheNextCallGoesOn) {
  std::deque<Probe> probes;
  for (int i = 0; i < 10; ++i) calendar.arm(probes.emplace_back(i), time_ns(5000 - 700 * (i % 3)));
  log.now = time_ns(5000);
  for (std::size_t fired = 4; fired == 4;) {
    fired = calendar.expire(log.now, log, 4);
    EXPECT_LE(fired, 4u);
  }
  ASSERT_EQ(log.fired.size(), 10u);
  const std::vector<int> order{2, 5, 8, 1, 4, 7, 0, 3, 6, 9};
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(log.fired[i].id, order[i]);
}

TEST_F(CalendarTest, ACancelledNodeNeverFires) {
  Probe a(1), b(2);
  calendar.arm(a, time_ns(100));
  calendar.arm(b, time_ns(200));
  calendar.cancel(a);
  calendar.cancel(a);
  EXPECT_FALSE(a.armed());
  EXPECT_EQ(calendar.next_deadline(), time_ns(200));
  expire(1000);
  ASSERT_EQ(log.fired.size(), 1u);
  EXPECT_EQ(log.fired[0].id, 2);
}

TEST_F(CalendarTest, AHandlerMayCancelAnother) {
  struct Killer : Node {
    explicit Killer(Node& v)
        : Node([](Node& n, Time, Log& log) { log.calendar->cancel(static_cast<Killer&>(n).victim); }),
          victim(v) {}
    Node& victim;
  };
  Probe victim(7);
  Killer killer(victim);
  calendar.arm(killer, time_ns(10));
  calendar.arm(victim, time_ns(10));
  expire(10);
  EXPECT_TRUE(log.fired.empty());
  EXPECT_EQ(calendar.size(), 0u);
}

// Nodes that are armed again stay where they are until several can be moved: they, their neighbours there and
// those of the bucket that they go to may be cancelled or armed anew meanwhile.
TEST_F(CalendarTest, NodesThatMoveTogetherAreWhereTheyWereArmedLast) {
  constexpr int kNodes = 200;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 rng(seed);
    std::deque<Probe> probes;
    for (int i = 0; i < kNodes; ++i) probes.emplace_back(i);
    std::vector<std::pair<std::int64_t, int>> model;  // deadlines and nodes, in the order of arming
    Cal cal(time_ns(0));
    Log out;
    out.calendar = &cal;
    const auto arm = [&](int id, std::int64_t deadline) {
      std::erase_if(model, [&](const auto& entry) { return entry.second == id; });
      model.emplace_back(deadline, id);
      cal.arm(probes[static_cast<std::size_t>(id)], time_ns(deadline));
    };
    // A dozen buckets, so that each has neighbours.
    const auto deadline = [&] { return 100'000 + static_cast<std::int64_t>(rng() % 12'000); };
    for (int i = 0; i < kNodes; ++i) arm(i, deadline());
    cal.next_deadline();
    const auto moves = rng() % 100;
    for (std::uint64_t i = 0; i < moves; ++i) {
      const int id = static_cast<int>(rng() % kNodes);
      if (rng() % 8 == 0) {
        std::erase_if(model, [&](const auto& entry) { return entry.second == id; });
        cal.cancel(probes[static_cast<std::size_t>(id)]);
      } else {
        arm(id, deadline());
      }
    }
    ASSERT_EQ(cal.size(), model.size());
    std::ranges::stable_sort(model, {}, &std::pair<std::int64_t, int>::first);
    cal.expire(time_ns(1'000'000), out);
    ASSERT_EQ(out.fired.size(), model.size());
    for (std::size_t i = 0; i < model.size(); ++i) ASSERT_EQ(out.fired[i].id, model[i].second) << i;
  }
}

// Bursts of timers in a few buckets, some of them cancelled or armed again before they are due.
TEST_F(CalendarTest, BurstsInOneBucketFireInOrderOfDeadline) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 200; ++round) {
    std::deque<Probe> probes;
    std::vector<Fired> expected;
    const std::int64_t from = ns(log.now) + 1'000'000;
    const bool alike = round % 2 == 0;
    const auto arm = [&](Probe& probe) {
      const std::int64_t deadline = from + (alike ? 0 : static_cast<std::int64_t>(rng() % 3000));
      calendar.arm(probe, time_ns(deadline));
      std::erase_if(expected, [&](const Fired& fired) { return fired.id == probe.id; });
      expected.push_back({probe.id, time_ns(deadline)});
    };
    const int timers = static_cast<int>(rng() % 300);
    for (int i = 0; i < timers; ++i) arm(probes.emplace_back(i));
    for (Probe& probe : probes) {
      if (rng() % 8 == 0) arm(probe);
      if (rng() % 8 != 0) continue;
      calendar.cancel(probe);
      std::erase_if(expected, [&](const Fired& fired) { return fired.id == probe.id; });
    }
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Fired& a, const Fired& b) { return a.deadline < b.deadline; });
    log.fired.clear();
    expire(from + 3000);
    ASSERT_EQ(log.fired, expected) << round;
    ASSERT_EQ(calendar.size(), 0u);
  }
}

// A bucket's nodes in any order of deadline, many more of them than are put where they belong one by one.
TEST_F(CalendarTest, ManyOfOneBucketFireInOrderOfDeadlineAndArming) {
  for (const int nodes : {100, 5'000}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      SCOPED_TRACE(std::to_string(nodes) + " nodes, seed " + std::to_string(seed));
      std::mt19937_64 rng(seed);
      std::deque<Probe> probes;
      std::vector<Fired> expected;
      const std::int64_t from = ((ns(log.now) >> 10) + 1000) << 10;
      for (int i = 0; i < nodes; ++i) {
        // In falling order, or of few values, so that many are equal.
        const auto within = seed == 0 ? 1000 - i % 1000 : static_cast<std::int64_t>(rng() % (4 << 2 * seed));
        calendar.arm(probes.emplace_back(i), time_ns(from + within));
        expected.push_back({i, time_ns(from + within)});
      }
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Fired& a, const Fired& b) { return a.deadline < b.deadline; });
      log.fired.clear();
      expire(from + 1023);
      ASSERT_EQ(log.fired, expected);
    }
  }
}

// More than its memory holds at first.
TEST_F(CalendarTest, TakesMoreNodesThanEver) {
  constexpr int kNodes = 400'000;
  std::deque<Probe> probes;
  for (int i = 0; i < kNodes; ++i) calendar.arm(probes.emplace_back(i), time_ns(1'000'000 + i * 100));
  EXPECT_EQ(calendar.size(), static_cast<std::size_t>(kNodes));
  expire(1'000'000 + kNodes * 100);
  ASSERT_EQ(log.fired.size(), static_cast<std::size_t>(kNodes));
  for (int i = 0; i < kNodes; ++i) ASSERT_EQ(log.fired[static_cast<std::size_t>(i)].id, i);
  EXPECT_EQ(calendar.size(), 0u);
}

// A handler's actions depend only on the node that fires and the number that fired before.
struct Crowd {
  struct One : Node {
    One(Crowd& c, int i) : Node(&fire), crowd(c), id(i) {}
    static void fire(Node& node, Time deadline, Log&) {
      One& self = static_cast<One&>(node);
      Crowd& crowd = self.crowd;
      const auto n = static_cast<unsigned>(crowd.fired.size());
      crowd.fired.push_back({self.id, deadline});
      crowd.act(n, self.id, [&](int other, std::optional<std::int64_t> delay) {
        One& one = crowd.nodes[static_cast<std::size_t>(other)];
        if (!delay) return crowd.calendar.cancel(one);
        crowd.calendar.arm(one, deadline + Duration{*delay});
      });
    }
    Crowd& crowd;
    int id;
  };
  static constexpr int kNodes = 60;
  // The actions of firing number `n` if node `id` fires: f(id, delay) for each node that it arms, f(id,
  // nullopt) for each that it cancels.
  template <class F>
  void act(unsigned n, int id, F&& f) const {
    std::mt19937_64 rng(seed * 1'000'003 + n * 1009 + static_cast<unsigned>(id));
    for (auto deeds = 1 + rng() % 2; deeds != 0; --deeds) {
      const int other = static_cast<int>(rng() % kNodes);
      const auto span = std::int64_t{1} << rng() % 22;
      const auto delay = static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(span)) - span / 4;
      f(other, rng() % 5 == 0 ? std::nullopt : std::optional(delay));
    }
  }
  unsigned seed;
  Cal calendar{};
  std::deque<One> nodes{};
  std::vector<Fired> fired{};
};

// Handlers arm, put off and cancel others, due ones and such as are late too: against a plain list.
TEST_F(CalendarTest, WhatHandlersDoToOthersHoldsAtOnce) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Crowd crowd{seed};
    std::mt19937_64 rng(seed);
    std::vector<std::pair<Time, int>> model;
    std::vector<Fired> expected;
    const auto arm = [&](int id, Time deadline) {
      std::erase_if(model, [&](const auto& entry) { return entry.second == id; });
      const auto behind = [&](const auto& entry) { return entry.first > deadline; };
      model.insert(std::ranges::find_if(model, behind), {deadline, id});
    };
    for (int i = 0; i < Crowd::kNodes; ++i) {
      const Time deadline = time_ns(static_cast<std::int64_t>(rng() % 2'000'000));
      crowd.calendar.arm(crowd.nodes.emplace_back(crowd, i), deadline);
      arm(i, deadline);
    }
    Log unused;
    std::int64_t now = 0;
    for (int step = 0; step < 200; ++step) {
      now += static_cast<std::int64_t>(rng() % 20'000);
      while (!model.empty() && model.front().first <= time_ns(now) && expected.size() < 5000) {
        const auto [deadline, id] = model.front();
        model.erase(model.begin());
        const auto n = static_cast<unsigned>(expected.size());
        expected.push_back({id, deadline});
        crowd.act(n, id, [&](int other, std::optional<std::int64_t> delay) {
          if (delay) return arm(other, deadline + Duration{*delay});
          std::erase_if(model, [&](const auto& entry) { return entry.second == other; });
        });
      }
      const std::size_t limit = expected.size() - crowd.fired.size();
      for (std::size_t fired = 0; fired < limit;) {
        const std::size_t some = std::min<std::size_t>(limit - fired, 1 + rng() % 8);
        ASSERT_EQ(crowd.calendar.expire(time_ns(now), unused, some), some);
        fired += some;
      }
      ASSERT_EQ(crowd.fired, expected);
      ASSERT_EQ(crowd.calendar.size(), model.size());
      ASSERT_EQ(crowd.calendar.next_deadline(), model.empty() ? kNever : model.front().first);
    }
    EXPECT_GT(expected.size(), 100u);
  }
}

// Against a plain sorted list: random arms, re-arms, cancels and polls over spans from nanoseconds to hours.
TEST_F(CalendarTest, AgreesWithASortedListOverRandomSchedules) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 rng(seed);
    // Deadlines are multiples of that: of a bucket, of a bucket of the first level, of the wheel. So many are
    // equal that were armed from near and from far, and lie where the cursor meets a far bucket.
    const auto grain = std::int64_t{1} << std::array{0, 10, 20, 28}[seed % 4];
    std::int64_t now = static_cast<std::int64_t>(rng() % (1ull << 55));
    Cal cal(time_ns(now), std::array{Cal::kWholeWheel, Cal::kSmallWheel, Cal::kSmallWheel * 4}[seed % 3]);
    Log out;
    out.calendar = &cal;
    struct Entry {
      std::int64_t deadline;
      std::uint64_t order;
      int id;
    };
    std::vector<Entry> model;
    std::deque<Probe> probes;
    for (int i = 0; i < 200; ++i) probes.emplace_back(i);
    std::uint64_t order = 0;
    for (int step = 0; step < 3000; ++step) {
      const int id = static_cast<int>(rng() % 200);
      const auto span = std::int64_t{1} << rng() % 45;
      switch (rng() % 4) {
        case 0:
        case 1: {
          const std::int64_t deadline =
              (now + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(span)) + grain - 1) /
              grain * grain;
          std::erase_if(model, [&](const Entry& e) { return e.id == id; });
          model.push_back({deadline, order++, id});
          cal.arm(probes[static_cast<std::size_t>(id)], time_ns(deadline));
          break;
        }
        case 2:
          std::erase_if(model, [&](const Entry& e) { return e.id == id; });
          cal.cancel(probes[static_cast<std::size_t>(id)]);
          break;
        default: {
          now += span >> 3;
          std::sort(model.begin(), model.end(), [](const Entry& a, const Entry& b) {
            return a.deadline != b.deadline ? a.deadline < b.deadline : a.order < b.order;
          });
          std::vector<Fired> expected;
          while (!model.empty() && model.front().deadline <= now) {
            expected.push_back({model.front().id, time_ns(model.front().deadline)});
            model.erase(model.begin());
          }
          out.fired.clear();
          cal.expire(time_ns(now), out);
          ASSERT_EQ(out.fired, expected);
        }
      }
      ASSERT_EQ(cal.size(), model.size());
      if (rng() % 16 != 0) continue;  // it settles what waits, which else does so for longer
      std::int64_t earliest = ns(kNever);
      for (const Entry& e : model) earliest = std::min(earliest, e.deadline);
      ASSERT_EQ(ns(cal.next_deadline()), earliest);
    }
  }
}

// Alone and not yet in its bucket, due, late, or far away.
TEST_F(CalendarTest, AParkedNodeGoesOnInAnotherCalendarAtItsDeadline) {
  const auto goes_on = [&](Probe& node, std::int64_t deadline) {
    calendar.park(node);
    EXPECT_EQ(calendar.size(), 0u);
    EXPECT_EQ(calendar.next_deadline(), kNever);
    log.fired.clear();
    Cal other;
    other.unpark(node);
    other.expire(time_ns(deadline - 1), log);
    EXPECT_TRUE(log.fired.empty());
    other.expire(time_ns(deadline), log);
    EXPECT_EQ(log.fired, (std::vector<Fired>{{node.id, time_ns(deadline)}}));
    EXPECT_FALSE(node.armed());
  };
  Probe alone(1), first(2), due(3), late(4), far(5);
  expire(10'000);
  calendar.arm(alone, time_ns(50'000));
  goes_on(alone, 50'000);
  calendar.arm(first, time_ns(20'000));
  calendar.arm(due, time_ns(20'001));
  calendar.expire(time_ns(30'000), log, 1);
  EXPECT_EQ(log.fired.back().id, first.id);
  goes_on(due, 20'001);
  calendar.arm(late, time_ns(15'000));
  goes_on(late, 15'000);
  calendar.arm(far, time_ns(3'600'000'000'000));
  goes_on(far, 3'600'000'000'000);
}

}  // namespace
}  // namespace dp
