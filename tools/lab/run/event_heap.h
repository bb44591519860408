// Timers of a simulation in order of time: a binary heap. A run has few timers, which fit the cache; the
// worker's calendar (timer/calendar.h) is made for many, takes 2 MiB, and touches another line for each. A
// timer belongs to its declarer. Requires: it is cancelled before its destruction, unless the heap is not
// called again; it is armed in one heap at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace lab {

template <class Context>
class EventHeap;

// `fire` receives the deadline. It may arm and cancel any timer, including its own.
template <class Context>
class EventTimer {
 public:
  using Fire = void (*)(EventTimer&, dp::Time deadline, Context&);

  // Requires: `fire` is not null.
  explicit EventTimer(Fire fire) : fire_(fire) { DP_EXPECT(fire != nullptr); }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  bool armed() const noexcept { return deadline_ != dp::kNever; }
  // kNever while it is not armed.
  dp::Time deadline() const noexcept { return deadline_; }

 private:
  friend class EventHeap<Context>;

  Fire fire_;
  dp::Time deadline_ = dp::kNever;
  std::size_t index_ = 0;  // index in the heap while armed
};

template <class Context>
class EventHeap {
 public:
  using Timer = EventTimer<Context>;

  std::size_t size() const noexcept { return heap_.size(); }

  // Arms the timer, or moves it if it is armed. A deadline in the past fires at the next expire(). Requires:
  // `deadline` is not kNever; use cancel().
  void arm(Timer& timer, dp::Time deadline) {
    DP_EXPECT(deadline != dp::kNever);
    cancel(timer);
    timer.deadline_ = deadline;
    heap_.emplace_back();
    up(heap_.size() - 1, {deadline, ++arming_, &timer});
  }

  void cancel(Timer& timer) noexcept {
    if (!timer.armed()) return;
    DP_EXPECT(timer.index_ < heap_.size() && heap_[timer.index_].timer == &timer);
    remove(timer.index_);
  }

  // Fires the timers with deadline <= now in order of (deadline, arming), those armed by the handlers
  // included.
  void expire(dp::Time now, Context& context) {
    while (!heap_.empty() && heap_[0].deadline <= now) {
      Timer& timer = *heap_[0].timer;
      const dp::Time deadline = timer.deadline_;
      remove(0);
      timer.fire_(timer, deadline, context);
    }
  }

  // kNever when nothing is armed.
  dp::Time next_deadline() const noexcept { return heap_.empty() ? dp::kNever : heap_[0].deadline; }

 private:
  struct Entry {
    dp::Time deadline;
    std::uint64_t arming;
    Timer* timer;
    bool before(const Entry& other) const noexcept {
      return deadline != other.deadline ? deadline < other.deadline : arming < other.arming;
    }
  };

  // Invariants between two calls: no entry is before its parent, which is (i - 1) / 2 for entry i; each armed
  // timer has one entry, which has its deadline and is at its place_.

  void put(std::size_t index, const Entry& entry) noexcept {
    heap_[index] = entry;
    entry.timer->index_ = index;
  }

  // Puts the entry at the free index or at an ancestor.
  void up(std::size_t index, const Entry& entry) noexcept {
    while (index > 0 && entry.before(heap_[(index - 1) / 2])) {
      put(index, heap_[(index - 1) / 2]);
      index = (index - 1) / 2;
    }
    put(index, entry);
  }

  // Puts the entry at the free index or at a descendant.
  void down(std::size_t index, const Entry& entry) noexcept {
    for (std::size_t child; (child = 2 * index + 1) < heap_.size(); index = child) {
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(entry)) break;
      put(index, heap_[child]);
    }
    put(index, entry);
  }

  // Moves the last entry to the removed one's index, or to an ancestor or descendant of it.
  void remove(std::size_t index) noexcept {
    heap_[index].timer->deadline_ = dp::kNever;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (index == heap_.size()) return;
    if (index > 0 && last.before(heap_[(index - 1) / 2])) {
      up(index, last);
    } else {
      down(index, last);
    }
  }

  std::vector<Entry> heap_;
  std::uint64_t arming_ = 0;  // number of arm() calls so far
};

}  // namespace lab
