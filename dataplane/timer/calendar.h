// The worker's one calendar queue: every deadline of the data plane (link service, AQM and RLC timers, held
// ACKs) is a node in it. A wheel of buckets for the next 268 ms or less, and find-first-set levels for later
// deadlines (Carousel, SIGCOMM 2017; Eiffel, NSDI 2019): arm, re-arm, cancel and expire are O(1) for any
// number of nodes, and keep deadlines exact to the nanosecond. The kernel is asked for memory only if more
// nodes are armed than ever before: for 40 bytes each, 2 MiB at a time. A node belongs to the object that
// declares it. Requires: it is cancelled before it dies, unless the calendar is not called any more; it is
// armed in one calendar at a time.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"
#include "dataplane/timer/bucket_marks.h"
#include "dataplane/timer/due_timers.h"
#include "dataplane/timer/far_levels.h"
#include "dataplane/timer/moving_timers.h"
#include "dataplane/timer/timer.h"
#include "dataplane/timer/timer_links.h"

namespace dp {

template <class Context>
class Calendar {
 public:
  using Node = Timer<Context>;

  // Ticks of the wheel, which takes 8 bytes for each. A small one is soon made and stays in the cache, but a
  // node that is further away is placed twice.
  static constexpr std::size_t kWholeWheel = BucketMarks::kBuckets, kSmallWheel = 1024;

  // Requires: `wheel` is a power of two from kSmallWheel to kWholeWheel.
  explicit Calendar(Time start = Time{}, std::size_t wheel = kWholeWheel)
      : cursor_(tick(start)), mask_(wheel - 1), links_(wheel + FarLevels::kBuckets + 1) {
    DP_EXPECT(std::has_single_bit(wheel) && wheel >= kSmallWheel && wheel <= kWholeWheel);
  }

  // Nodes that are armed.
  std::size_t size() const noexcept { return links_.taken() + moving_.fresh() + due_.size(); }

  // Re-arms an armed node. A deadline in the past fires at the next expire(). Requires: `deadline` is not
  // kNever, which means cancel().
  [[gnu::always_inline]] void arm(Node& node, Time deadline) noexcept {
    DP_EXPECT_HOT(deadline != kNever && node.place_ != Node::kParked);
    // The tick; for a negative deadline a tick beyond the wheel.
    const std::uint64_t t = static_cast<std::uint64_t>(ns(deadline)) >> kTickBits;
    if (t - cursor_ - 1 >= mask_) [[unlikely]]
      return arm_beside_wheel(node, deadline);
    const auto bucket = static_cast<Id>(t & mask_);
    if (node.place_ == Node::kNowhere) [[likely]] {
      links_.prefetch(bucket);
    } else if (node.place_ >= Node::kLate) {
      forget(node);
    }
    node.deadline_ = deadline;
    if (moving_.add(node, bucket)) moving_.settle_all(links_, marks_);
  }

  // Completes the moves that arm() has deferred so that several nodes move at a time. Optional: other
  // functions call it.
  void settle() noexcept {
    if (!moving_.empty()) moving_.settle(links_, marks_);
  }

  void cancel(Node& node) noexcept {
    if (node.armed()) remove(node);
  }

  // Takes an armed node out so that another calendar may continue with it: it keeps its deadline, and must
  // not be armed or cancelled until unpark(). A node that is not armed stays so.
  void park(Node& node) noexcept {
    if (!node.armed()) return;
    remove(node);
    node.place_ = Node::kParked;
  }
  // Requires: park() was called for it last.
  void unpark(Node& node) noexcept {
    if (!node.armed()) return;
    DP_EXPECT(node.place_ == Node::kParked);
    node.place_ = Node::kNowhere;
    arm(node, node.deadline_);
  }

  // Fires the nodes with deadline <= now in order of (deadline, arming), those armed by the handlers
  // included. Returns how many fired; fewer than `limit` when nothing is left that is due.
  std::size_t expire(Time now, Context& context, std::size_t limit = ~std::size_t{0}) noexcept {
    std::size_t fired = 0;
    for (;;) {
      while (late_ == 0) {
        Node* const node = due_.first();
        if (node == nullptr) break;
        if (node->deadline_ > now || fired == limit) return fired;
        due_.take_first(*node);
        node->call(node->deadline_, context);
        ++fired;
      }
      if (late_ != 0) [[unlikely]] {
        Node& node = *first_due();
        if (node.deadline_ > now || fired == limit) return fired;
        forget(node);
        node.call(node.deadline_, context);
        ++fired;
        continue;
      }
      settle();
      Node* lone = nullptr;
      const Time firing = fired == limit ? Time::min() : now;
      if (!advance(tick(now), firing, lone)) return fired;
      if (lone != nullptr) {
        lone->call(lone->deadline_, context);
        ++fired;
      }
    }
  }

  // The earliest deadline armed, kNever when there is none; few buckets are read.
  Time next_deadline() noexcept {
    if (const Node* const node = first_due()) return node->deadline_;
    settle();
    Time earliest = kNever;
    while (!marks_.none() && earliest == kNever) {
      const auto bucket = static_cast<Id>(near_tick(cursor_) & mask_);
      earliest = earliest_of(bucket);
      if (earliest == kNever) marks_.unmark(bucket);
    }
    while (!far_.none()) {
      const std::size_t bucket = far_.first();
      const Time far = earliest_of(far_list(bucket));
      if (far != kNever) return std::min(earliest, far);
      far_.unmark(bucket);
    }
    return earliest;
  }

 private:
  using Links = TimerLinks<Context>;
  using Id = typename Links::Id;

  static constexpr unsigned kTickBits = 10;     // a bucket of the wheel is 1.024 us wide
  static constexpr std::size_t kTogether = 64;  // buckets that become due at a time
  static_assert(kTickBits + (FarLevels::kLevels + 1) * FarLevels::kDigitBits >= 63, "covers every int64");

  // The anchors of the lists in links_: the wheel's buckets by their number, those of far_ behind them, then
  // that of what is late.
  Id far_list(std::size_t bucket) const noexcept { return static_cast<Id>(mask_ + 1 + bucket); }
  Id late() const noexcept { return far_list(FarLevels::kBuckets); }

  // Invariants between two calls:
  //
  // - cursor_ never goes back. Nodes whose tick is cursor_ or earlier are due. Those that the cursor came to
  //   are in due_, and their links are free. Those that were armed for a time gone by are in due_ too, or
  //   when there are some that fire after them, in the list late(). Both are in order of (deadline, arming),
  //   and at equal deadlines those of due_ come first: they were armed before all that are in late().
  // - Nodes that arm() has deferred since the last settle() are in moving_, in that order, with that mark in
  //   their place_; one that was armed before is also in its former list. The cursor does not move while
  //   there are any, and no other nodes enter the wheel. A node of the wheel has a tick less than its size
  //   after cursor_, so that a bucket holds nodes of one tick, and such as are about to leave it. A bucket
  //   that is not empty has its bit in marks_; so may one that is empty by now and lies ahead.
  // - Any other node is in the bucket that far_ gave its tick when the node was placed, from the cursor of
  //   that time. The cursor does not pass the first tick of such a bucket before its nodes were placed anew:
  //   so the bucket lies ahead of the cursor's digit of that level. A bucket that is not empty is marked; so
  //   may be one that is empty by now and lies ahead.
  // - Nodes of one tick stand in the order in which they were armed. For as the cursor comes nearer to a
  //   tick, nodes armed for it go to ever lower levels and at last into the wheel: a node that leaves a far
  //   bucket was armed before all that it finds in its new list, and is put in front of those.

  static std::uint64_t tick(Time t) noexcept {
    return ns(t) <= 0 ? 0 : static_cast<std::uint64_t>(ns(t)) >> kTickBits;
  }

  // The list for a node of tick `t`, which is not before the cursor. Marks it; the caller puts the node in.
  Id list_for(std::uint64_t t) noexcept {
    if (t - cursor_ <= mask_) {
      marks_.mark(t & mask_);
      return static_cast<Id>(t & mask_);
    }
    return far_list(far_.mark(t, cursor_));
  }

  // A node that is due already, or too far away for the wheel.
  [[gnu::noinline]] void arm_beside_wheel(Node& node, Time deadline) noexcept {
    if (node.armed()) remove(node);
    node.deadline_ = deadline;
    const std::uint64_t t = tick(deadline);
    if (t > cursor_) return put(node, list_for(t));
    if (late_ == 0 && due_.append(node)) return;
    // Few are late at a time, so the walk is short.
    Id before = links_.previous(late());
    while (before != late() && links_.timer(before).deadline_ > deadline) before = links_.previous(before);
    put(node, links_.next(before));
    node.place_ |= Node::kLate;
    ++late_;
  }
  // Puts it in front of `at`. Requires: it is nowhere.
  [[gnu::always_inline]] void put(Node& node, Id at) noexcept {
    node.place_ = links_.take(node);
    links_.put_before(at, node.place_);
  }

  // Requires: it is armed.
  void remove(Node& node) noexcept {
    if ((node.place_ & Node::kMoving) != 0) settle();
    forget(node);
  }
  // Removes a node from its list. Requires: it is somewhere, and not in moving_.
  [[gnu::noinline]] void forget(Node& node) noexcept {
    DP_EXPECT_HOT(node.place_ != Node::kNowhere && node.place_ != Node::kParked);
    if (node.place_ >= Node::kDue) {
      due_.remove(node);
    } else {
      const Id place = node.place_in_list();
      late_ -= place != node.place_;
      links_.remove(place);
      links_.give(place);
      node.place_ = Node::kNowhere;
    }
  }

  // The first node that is due; null if none is.
  [[gnu::noinline]] Node* first_due() noexcept {
    Node* const first = due_.first();
    if (late_ == 0) return first;
    Node& late_one = links_.timer(links_.next(late()));
    return first == nullptr || late_one.deadline_ < first->deadline_ ? &late_one : first;
  }

  // The tick of the first marked bucket of the wheel, from tick `from` on. Requires: there is one.
  std::uint64_t near_tick(std::uint64_t from) const noexcept {
    return from + ((marks_.next(from & mask_) - from) & mask_);
  }

  // Moves the cursor towards tick `to`, and makes the nodes there due; false, with the cursor at `to`, if
  // there are none. In between, a bucket of the wheel may be at the cursor. A node whose deadline is `now` or
  // earlier, and that would be the only one due, is `lone` instead, and nowhere. Requires: nothing is due.
  bool advance(std::uint64_t to, Time now, Node*& lone) noexcept {
    DP_EXPECT_HOT(first_due() == nullptr);
    if (to <= cursor_) return false;
    for (;;) {
      const std::uint64_t near = marks_.none() ? FarLevels::kNoTick : near_tick(cursor_);
      const std::uint64_t far = far_.first_tick(cursor_);
      if (near > to && far > to) break;
      if (far <= near) {
        DP_EXPECT_HOT(far > cursor_);
        const std::size_t bucket = far_.first();
        cursor_ = far;
        spread(bucket);
      } else {
        const std::uint64_t last = far < to ? far - 1 : to;
        if (near == last ? gather_one(near, now, lone) : gather(near, last)) return true;
      }
    }
    cursor_ = to;
    return false;
  }

  // gather() for the bucket at tick `at`. Mostly one timer is in it, which fires without a stay in due_: 66
  // instructions less, of the 1,000 that a frame in a poll of its own may take (rncbench counts --burst 1).
  [[gnu::noinline]] bool gather_one(std::uint64_t at, Time now, Node*& lone) noexcept {
    cursor_ = at;
    const auto bucket = static_cast<Id>(at & mask_);
    marks_.unmark(bucket);
    const Id first = links_.next(bucket);
    if (first == bucket) return false;
    if (Node& node = links_.timer(first); first == links_.previous(bucket) && node.deadline_ <= now) {
      links_.take_only(bucket, first);
      node.place_ = Node::kNowhere;
      lone = &node;
      return true;
    }
    Node** due = due_.begin(links_.taken());
    links_.take_all(bucket, [&](Node& node) { *due++ = &node; });
    due_.end(due);
    return due_.sort();
  }
  // The buckets of the wheel from tick `at` to `to` become due, a number of them at most. The memory that
  // their nodes' handlers touch is fetched on the way, a step for all of them before the next: links, timers,
  // the pointers in them, and the objects that these point to. False if the buckets were empty. Requires:
  // nothing is due.
  [[gnu::noinline]] bool gather(std::uint64_t at, std::uint64_t to) noexcept {
    std::array<Id, kTogether + 63> buckets;
    std::size_t n = 0;
    for (;;) {
      // The buckets whose marks are in one word.
      const std::uint64_t last = std::min(to, at | 63);
      std::uint64_t marks = marks_.take(at & mask_, static_cast<unsigned>(last - at + 1));
      for (; marks != 0; marks &= marks - 1) {
        cursor_ = at + static_cast<unsigned>(std::countr_zero(marks));
        const auto bucket = static_cast<Id>(cursor_ & mask_);
        const Id first = links_.next(bucket);
        links_.prefetch(first);
        links_.prefetch_timer(first);
        links_.prefetch(links_.previous(bucket));
        buckets[n] = bucket;
        n += first != bucket;
      }
      if (n >= kTogether || marks_.none()) break;
      at = near_tick(cursor_ + 1);
      if (at > to) break;
    }
    Node** due = due_.begin(links_.taken());
    for (const Id bucket : std::span(buckets).first(n))
      links_.take_all(bucket, [&](Node& node) { *due++ = &node; });
    due_.end(due);
    return due_.sort();
  }

  // From the last to the first, each in front: they stay in order.
  void spread(std::size_t bucket) noexcept {
    const Id list = far_list(bucket);
    far_.unmark(bucket);
    while (!links_.empty(list)) {
      const Id last = links_.previous(list);
      links_.remove(last);
      links_.put_behind(list_for(tick(links_.timer(last).deadline_)), last);
    }
  }

  Time earliest_of(Id list) const noexcept {
    Time earliest = kNever;
    for (Id id = links_.next(list); id != list; id = links_.next(id))
      earliest = std::min(earliest, links_.timer(id).deadline_);
    return earliest;
  }

  // A tick beyond the wheel differs in a digit above the lowest.
  static_assert(kSmallWheel >= std::size_t{1} << FarLevels::kDigitBits);

  std::uint64_t cursor_;
  const std::uint64_t mask_;  // the wheel's size - 1
  Links links_;
  BucketMarks marks_;
  DueTimers<Context> due_{Links::kMost};
  std::uint32_t late_ = 0;  // nodes in late()
  MovingTimers<Context> moving_;
  FarLevels far_;
};

}  // namespace dp
