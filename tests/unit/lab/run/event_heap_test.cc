#include "tools/lab/run/event_heap.h"

#include <algorithm>
#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"

namespace lab {
namespace {

using dp::time_ns;

struct Log;
using Heap = EventHeap<Log>;

struct Log {
  Heap heap;
  std::vector<int> fired;
  dp::Time last{};  // deadline that fired last
};

struct Probe : EventTimer<Log> {
  explicit Probe(int i) : EventTimer(&fire), id(i) {}
  static void fire(EventTimer& timer, dp::Time deadline, Log& log) {
    auto& self = static_cast<Probe&>(timer);
    log.fired.push_back(self.id);
    log.last = deadline;
    if (self.next != nullptr) log.heap.arm(*self.next, deadline + self.after);
  }
  int id;
  Probe* next = nullptr;  // is armed by its handler, so long after its deadline
  dp::Duration after{};
};

TEST(EventHeap, FiresAtTheDeadlineAndNotANanosecondBefore) {
  Log log;
  Probe p(1);
  log.heap.arm(p, time_ns(1000));
  EXPECT_EQ(log.heap.next_deadline(), time_ns(1000));
  log.heap.expire(time_ns(999), log);
  EXPECT_TRUE(log.fired.empty());
  EXPECT_TRUE(p.armed());
  log.heap.expire(time_ns(1000), log);
  EXPECT_EQ(log.fired, std::vector{1});
  EXPECT_EQ(log.last, time_ns(1000));
  EXPECT_FALSE(p.armed());
  EXPECT_EQ(log.heap.next_deadline(), dp::kNever);
}

TEST(EventHeap, EqualDeadlinesFireInTheOrderOfTheirArming) {
  Log log;
  Probe a(1), b(2), c(3);
  for (Probe* p : {&a, &b, &c}) log.heap.arm(*p, time_ns(7));
  log.heap.arm(a, time_ns(7));  // anew: now it is the last
  log.heap.expire(time_ns(7), log);
  EXPECT_EQ(log.fired, (std::vector{2, 3, 1}));
}

TEST(EventHeap, WhatAHandlerArmsFiresInTheSameExpireWhenItIsDue) {
  Log log;
  Probe a(1), b(2), c(3), d(4);
  a.next = &b;
  a.after = dp::Duration{5};
  b.next = &d;
  b.after = dp::Duration{100};
  log.heap.arm(a, time_ns(10));
  log.heap.arm(c, time_ns(12));
  log.heap.expire(time_ns(20), log);
  EXPECT_EQ(log.fired, (std::vector{1, 3, 2}));
  EXPECT_EQ(log.heap.next_deadline(), time_ns(115));
}

// The model is a list that is sorted anew for each expire().
TEST(EventHeap, FiresWhatASortedListWouldWhateverIsArmedAndCancelled) {
  struct Armed {
    dp::Time deadline;
    std::uint64_t arming;
    int id;
    auto key() const { return std::pair(deadline, arming); }
  };
  Log log;
  std::deque<Probe> probes;
  for (int i = 0; i < 60; ++i) probes.emplace_back(i);
  std::vector<Armed> model;
  dp::Rng rng(5);
  std::uint64_t armings = 0;
  std::int64_t now = 0;
  for (int step = 0; step < 20'000; ++step) {
    const int id = static_cast<int>(rng.below(60));
    std::erase_if(model, [&](const Armed& a) { return a.id == id; });
    if (rng.chance(0.7)) {
      const dp::Time at = time_ns(now + rng.below(50));
      model.push_back({at, ++armings, id});
      log.heap.arm(probes[static_cast<std::size_t>(id)], at);
    } else {
      log.heap.cancel(probes[static_cast<std::size_t>(id)]);
    }
    std::ranges::sort(model, {}, &Armed::key);
    ASSERT_EQ(log.heap.size(), model.size());
    ASSERT_EQ(log.heap.next_deadline(), model.empty() ? dp::kNever : model.front().deadline);
    if (!rng.chance(0.1)) continue;
    now += rng.below(40);
    std::vector<int> expected;
    for (const Armed& a : model) {
      if (a.deadline <= time_ns(now)) expected.push_back(a.id);
    }
    std::erase_if(model, [&](const Armed& a) { return a.deadline <= time_ns(now); });
    log.fired.clear();
    log.heap.expire(time_ns(now), log);
    ASSERT_EQ(log.fired, expected) << step;
  }
}

}  // namespace
}  // namespace lab
