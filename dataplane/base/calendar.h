// The worker's one calendar queue: every deadline of the data plane (link service, AQM and RLC timers, held
// ACKs) is an intrusive node in it. A wheel of buckets for the next 268 ms or less, and find-first-set levels
// for what is further away (Carousel, SIGCOMM 2017; Eiffel, NSDI 2019): arm, re-arm, cancel and expire are
// O(1) whatever the number of nodes, allocate nothing and keep deadlines exact to the nanosecond. A node
// belongs to whoever declares it. Requires: it is cancelled before it dies, unless nobody calls the calendar
// any more; it is armed in one calendar at a time.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "dataplane/base/bucket_marks.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/huge_array.h"
#include "dataplane/base/time.h"
#include "dataplane/base/timer.h"
#include "dataplane/base/timer_list.h"
#include "dataplane/base/timer_runs.h"

namespace dp {

template <class Context>
class Calendar {
 public:
  using Node = Timer<Context>;

  // Ticks of the wheel, which takes 16 bytes for each. Few nodes are better off with a small one: what is
  // further away is placed twice, but all of it stays in the cache.
  static constexpr std::size_t kWholeWheel = BucketMarks::kBuckets, kSmallWheel = 1024;

  // Requires: `wheel` is a power of two from kSmallWheel to kWholeWheel.
  explicit Calendar(Time start = Time{}, std::size_t wheel = kWholeWheel)
      : cursor_(tick(start)), mask_(wheel - 1), wheel_(wheel), runs_(wheel) {
    DP_EXPECT(std::has_single_bit(wheel) && wheel >= kSmallWheel && wheel <= kWholeWheel);
  }

  std::size_t size() const noexcept { return size_; }

  // Re-arms an armed node. A deadline in the past fires at the next expire(). Requires: `deadline` is not
  // kNever, which means cancel().
  [[gnu::always_inline]] void arm(Node& node, Time deadline) noexcept {
    DP_EXPECT_HOT(deadline != kNever);
    if (node.armed()) [[unlikely]]
      return rearm(node, deadline);
    ++size_;
    node.deadline_ = deadline;
    // The tick, but of a negative deadline, which comes out beyond the wheel.
    const std::uint64_t t = static_cast<std::uint64_t>(ns(deadline)) >> kTickBits;
    if (t - cursor_ - 1 >= mask_) [[unlikely]]
      return arm_beside_wheel(node);
    put_waiting(node, t & mask_);
  }

  void cancel(Node& node) noexcept {
    if (node.armed()) remove(node);
  }

  // Takes an armed node out so that another calendar may go on with it: it keeps its deadline, and until
  // unpark() nobody arms or cancels it. A node that is not armed stays so.
  void park(Node& node) noexcept {
    if (!node.armed()) return;
    remove(node);
    node.place_ = Node::kParked;
  }
  // Requires: park() was called for it last.
  void unpark(Node& node) noexcept {
    if (!node.armed()) return;
    DP_EXPECT(node.place_ == Node::kParked);
    node.place_ = Node::kIdle;
    arm(node, node.deadline_);
  }

  // Fires the nodes with deadline <= now in order of (deadline, arming), those armed by the handlers
  // included. Returns how many fired; fewer than `limit` when nothing is left that is due.
  std::size_t expire(Time now, Context& context, std::size_t limit = ~std::size_t{0}) noexcept {
    std::size_t fired = 0;
    for (;;) {
      while (due_.head != nullptr && due_.head->deadline_ <= now) {
        if (fired == limit) return fired;
        Node& node = due_.pop();
        node.place_ = Node::kIdle;
        --size_;
        node.fire_(node, node.deadline_, context);
        ++fired;
      }
      settle();
      if (due_.head != nullptr || !advance(tick(now))) return fired;
    }
  }

  // The earliest deadline armed, kNever when there is none; one or two buckets are read.
  Time next_deadline() noexcept {
    settle();
    if (due_.head != nullptr) return due_.head->deadline_;
    Time earliest = kNever;
    if (!marks_.none()) earliest = earliest_of(wheel_[near_tick() & mask_]);
    const unsigned level = lowest_level();
    if (level > kLevels) return earliest;
    return std::min(earliest, earliest_of(far_[level - 1].buckets[far_[level - 1].first()]));
  }

 private:
  static constexpr unsigned kTickBits = 10;  // a bucket of the wheel is 1.024 us wide
  using Level = TimerLevel<Context>;         // 1024 buckets, of as many ticks each at level 1
  static constexpr unsigned kDigitBits = Level::kDigitBits;
  static constexpr unsigned kLevels = 5;        // covers every int64 of nanoseconds
  static constexpr std::size_t kTogether = 32;  // buckets that become due, or nodes put in, at a time
  static constexpr std::uint32_t kKnown = 256;  // nodes of a bucket that are fetched at once
  static constexpr std::uint64_t kNoTick = ~std::uint64_t{0};

  using List = TimerList<Context>;

  // What holds between two calls, a tick being written in digits of kDigitBits bits:
  //
  // - cursor_ never goes back. Nodes whose tick is cursor_ or earlier are in `due_`, in order of (deadline,
  //   arming).
  // - Nodes that were armed for the wheel since the last settle() wait in waiting_, in that order; the cursor
  //   does not move while there are any. Those that moving_ names too are still linked in the bucket that it
  //   names with them. A node of the wheel has a tick less than its size after cursor_, so that a bucket
  //   holds nodes of one tick, and such as are about to leave it. A bucket has its bit in marks_ just when
  //   something is there.
  // - Any other node is at the level of the highest digit in which its tick differed from cursor_ when it was
  //   placed, in the bucket that this digit numbers. The cursor does not pass the first tick of such a bucket
  //   before its nodes were placed anew: so the bucket lies ahead of the cursor's digit of that level, and
  //   nodes of one level come before those of the levels above. A bucket has its bit in `words`, and a word
  //   its bit in `summary`, just when something is there.
  // - Nodes of one tick stand in the order in which they were armed. For as the cursor comes nearer to a
  //   tick, what is armed for it goes to ever lower levels and at last into the wheel: whatever leaves a far
  //   bucket was armed before everything that it finds where it comes to, and is put in front of that.
  // - Timer::place_ says where a node is; size_ counts those that are anywhere.

  static std::uint64_t tick(Time t) noexcept {
    return ns(t) <= 0 ? 0 : static_cast<std::uint64_t>(ns(t)) >> kTickBits;
  }
  static std::size_t digit(std::uint64_t tick, unsigned level) noexcept {
    return tick >> (level * kDigitBits) & (Level::kBuckets - 1);
  }

  // The list for a node of tick `t`, which is not before the cursor. The node says and the marks show that it
  // is there; whoever calls puts it in.
  List& enter(Node& node, std::uint64_t t) noexcept {
    if (t - cursor_ <= mask_) {
      node.place_ = Node::kWheel;
      marks_.mark(t & mask_);
      return wheel_[t & mask_];
    }
    const auto level = static_cast<unsigned>(std::bit_width(t ^ cursor_) - 1) / kDigitBits;
    DP_EXPECT_HOT(level > 0 && level <= kLevels && digit(t, level) > digit(cursor_, level));
    node.place_ = static_cast<std::uint8_t>(Node::kFar + level);
    far_[level - 1].mark(digit(t, level));
    return far_[level - 1].buckets[digit(t, level)];
  }

  [[gnu::always_inline]] void put_waiting(Node& node, std::size_t bucket) noexcept {
    __builtin_prefetch(&wheel_[bucket], 1);
    node.place_ = Node::kWaiting;
    const std::size_t last = waiting_size_++;
    waiting_[last] = {&node, bucket};
    if (last + 1 == kTogether) settle();
  }

  // From the wheel into the wheel, as timers move that are put off again and again: it stays linked where it
  // is until settle().
  [[gnu::noinline]] void rearm(Node& node, Time deadline) noexcept {
    const std::uint64_t to = static_cast<std::uint64_t>(ns(deadline)) >> kTickBits;
    if (node.place_ != Node::kWheel || to - cursor_ - 1 >= mask_) return rearm_at_once(node, deadline);
    const std::uint64_t from = static_cast<std::uint64_t>(ns(node.deadline_)) >> kTickBits;
    moving_[moving_size_++] = {&node, from & mask_};
    node.deadline_ = deadline;
    put_waiting(node, to & mask_);
  }
  [[gnu::noinline]] void rearm_at_once(Node& node, Time deadline) noexcept {
    remove(node);
    arm(node, deadline);
  }
  // A node that is due already, or too far away for the wheel.
  [[gnu::noinline]] void arm_beside_wheel(Node& node) noexcept {
    const std::uint64_t t = tick(node.deadline_);
    t <= cursor_ ? insert_due(node) : enter(node, t).push_back(node);
  }

  // Puts into the wheel what waits for it: their buckets were fetched when each came, and behind whom they
  // come is fetched here before any is put in. One after the other would wait for memory twice.
  [[gnu::noinline]] void settle() noexcept {
    if (moving_size_ != 0) [[unlikely]]
      leave_wheel();
    const auto waiting = std::span(waiting_).first(waiting_size_);
    for (const Waiting& one : waiting) __builtin_prefetch(wheel_[one.bucket].tail, 1);
    for (std::size_t i = 0; i < waiting.size();) {
      const std::size_t first = i, bucket = waiting[i].bucket;
      List& list = wheel_[bucket];
      if (list.head == nullptr) marks_.mark(bucket);
      for (; i < waiting.size() && waiting[i].bucket == bucket; ++i) {
        Node& node = *waiting[i].node;
        node.place_ = Node::kWheel;
        list.push_back(node);
      }
      runs_.add(bucket, i - first, [&](std::size_t at) { return waiting[first + at].node; });
    }
    waiting_size_ = 0;
  }

  // Takes out what waits to be put in elsewhere, when all that stands before and behind it was fetched.
  [[gnu::noinline]] void leave_wheel() noexcept {
    const auto moving = std::span(moving_).first(moving_size_);
    for (const Waiting& one : moving) {
      __builtin_prefetch(&wheel_[one.bucket], 1);
      __builtin_prefetch(one.node->prev_, 1);
      __builtin_prefetch(one.node->next_, 1);
    }
    for (const Waiting& one : moving) {
      List& list = wheel_[one.bucket];
      list.remove(*one.node);
      if (list.head == nullptr) marks_.unmark(one.bucket);
    }
    moving_size_ = 0;
  }

  // Sorted; few nodes are due at a time, so the walk is short.
  void insert_due(Node& node) noexcept {
    node.place_ = Node::kDue;
    Node* before = due_.tail;
    if (before == nullptr || before->deadline_ <= node.deadline_) [[likely]]
      return due_.push_back(node);
    while (before != nullptr && before->deadline_ > node.deadline_) before = before->prev_;
    due_.put_behind(before, node);
  }

  // Requires: it is armed.
  void remove(Node& node) noexcept {
    DP_EXPECT_HOT(size_ > 0);
    if (node.place_ == Node::kWaiting) settle();
    const std::uint64_t t = tick(node.deadline_);
    if (node.place_ == Node::kDue) {
      due_.remove(node);
    } else if (node.place_ == Node::kWheel) {
      List& list = wheel_[t & mask_];
      list.remove(node);
      if (list.head == nullptr) marks_.unmark(t & mask_);
    } else {
      const unsigned level = node.place_ - Node::kFar;
      List& list = far_[level - 1].buckets[digit(t, level)];
      list.remove(node);
      if (list.head == nullptr) far_[level - 1].unmark(digit(t, level));
    }
    node.place_ = Node::kIdle;
    --size_;
  }

  // The tick of the first bucket of the wheel that holds something. Requires: one does.
  std::uint64_t near_tick() const noexcept { return near_tick(cursor_); }
  std::uint64_t near_tick(std::uint64_t from) const noexcept {
    return from + ((marks_.next(from & mask_) - from) & mask_);
  }

  // The lowest level that holds anything holds the earliest of what is far; above kLevels when all are empty.
  unsigned lowest_level() const noexcept {
    unsigned level = 1;
    while (level <= kLevels && far_[level - 1].summary == 0) ++level;
    return level;
  }
  // The first tick of the first bucket of that level. Requires: it is one.
  std::uint64_t far_tick(unsigned level) const noexcept {
    const unsigned shift = level * kDigitBits;
    const std::uint64_t above = cursor_ >> shift >> kDigitBits << kDigitBits;
    return (above | far_[level - 1].first()) << shift;
  }

  // Moves the cursor towards tick `to`, and makes due what lies there; false, with the cursor at `to`, when
  // nothing does. In between, a bucket of the wheel may be at the cursor.
  bool advance(std::uint64_t to) noexcept {
    if (to <= cursor_) return false;
    for (;;) {
      const std::uint64_t near = marks_.none() ? kNoTick : near_tick();
      const unsigned level = lowest_level();
      const std::uint64_t far = level <= kLevels ? far_tick(level) : kNoTick;
      if (near > to && far > to) break;
      if (far <= near) {
        DP_EXPECT_HOT(far > cursor_);
        cursor_ = far;
        spread(level, far_[level - 1].first());
      } else {
        gather(near, far < to ? far - 1 : to);
        return true;
      }
    }
    cursor_ = to;
    return false;
  }

  // The buckets of the wheel from tick `at` to `to` become due, a number of them at most. What their nodes'
  // handlers touch is fetched on the way, in three steps: where the nodes begin, what stands there to be
  // followed, and what is followed from where only then it is known to be.
  void gather(std::uint64_t at, std::uint64_t to) noexcept {
    std::array<std::uint64_t, kTogether> ticks;
    std::size_t n = 0;
    while (at <= to && at - cursor_ <= mask_) {
      fetch_bucket(at & mask_);
      ticks[n++] = at;
      if (n == kTogether) break;
      const std::uint64_t next = near_tick(at + 1);
      if (next - cursor_ > mask_) break;  // round again
      at = next;
    }
    cursor_ = ticks[n - 1];
    Later later;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t bucket = ticks[i] & mask_;
      marks_.unmark(bucket);
      make_due(std::exchange(wheel_[bucket], {}), later);
    }
    for (std::size_t i = 0; i < later.size; ++i) later.nodes[i]->fetch_third();
  }

  // Nodes of which something is fetched in the third step: as many as there is room for.
  struct Later {
    std::array<const Node*, kTogether> nodes;
    std::size_t size = 0;
  };

  // All of a list. Their deadlines are mostly in order, and the list then becomes due as it is.
  void make_due(const List& list, Later& later) noexcept {
    bool in_order = true;
    Time latest = due_.tail == nullptr ? list.head->deadline_ : due_.tail->deadline_;
    for (Node* node = list.head; node != nullptr; node = node->next_) {
      in_order &= latest <= node->deadline_;
      latest = node->deadline_;
      node->place_ = Node::kDue;
      if (node->fetch_second() && later.size < later.nodes.size()) later.nodes[later.size++] = node;
    }
    if (in_order) [[likely]]
      return due_.append(list);
    for (Node* node = list.head; node != nullptr;) insert_due(*std::exchange(node, node->next_));
  }

  // Where its nodes begin. Where each is stands in the one before, so that a walk would wait for memory as
  // often as there are nodes; of those that were armed one after the other it is remembered.
  void fetch_bucket(std::size_t bucket) noexcept {
    const List& list = wheel_[bucket];
    Node::fetch_first(list.head);
    if (list.head == list.tail) return;
    Node::fetch_first(list.tail);
    runs_.take(bucket, kKnown, [](const void* node) { Node::fetch_first(node); });
  }

  // From the last to the first, each in front: they stay in order.
  void spread(unsigned level, std::size_t bucket) noexcept {
    Node* node = far_[level - 1].buckets[bucket].tail;
    far_[level - 1].buckets[bucket] = {};
    far_[level - 1].unmark(bucket);
    while (node != nullptr) {
      Node* const before = node->prev_;
      enter(*node, tick(node->deadline_)).push_front(*node);
      node = before;
    }
  }

  static Time earliest_of(const List& list) noexcept {
    Time earliest = kNever;
    for (const Node* n = list.head; n != nullptr; n = n->next_) earliest = std::min(earliest, n->deadline_);
    return earliest;
  }

  static_assert(kSmallWheel >=
                Level::kBuckets);  // what is beyond the wheel differs in a digit above the lowest

  std::uint64_t cursor_;
  const std::uint64_t mask_;  // the wheel's size - 1
  List due_;
  HugeArray<List> wheel_;
  TimerRuns runs_;
  BucketMarks marks_;
  struct Waiting {
    Node* node;
    std::size_t bucket;
  };
  std::array<Waiting, kTogether> waiting_;
  std::size_t waiting_size_ = 0;
  std::array<Waiting, kTogether> moving_;  // those of waiting_ that are linked in the wheel still, and where
  std::size_t moving_size_ = 0;
  std::array<Level, kLevels> far_{};
  std::size_t size_ = 0;
};

}  // namespace dp
