// The worker's one calendar queue: every deadline of the data plane (link service, AQM and RLC timers, held
// ACKs) is an intrusive node in it. Hierarchical find-first-set buckets (Carousel, SIGCOMM 2017; Eiffel, NSDI
// 2019): arm, re-arm, cancel and expire are O(1) whatever the number of nodes, allocate nothing and keep
// deadlines exact to the nanosecond. A node belongs to whoever declares it. Requires: it is cancelled before
// it dies, unless nobody calls the calendar any more; it is armed in one calendar at a time.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

template <class Context>
class Calendar;

// `fire` gets its deadline beside the context's `now`: after a late poll it serves what was due, timed from
// the schedule. It may arm and cancel any node, itself too.
template <class Context>
class Timer {
 public:
  using Fire = void (*)(Timer&, Time deadline, Context&);

  // Requires: `fire` is not null.
  explicit Timer(Fire fire) : fire_(fire) { DP_EXPECT(fire != nullptr); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool armed() const noexcept { return place_ != kIdle; }
  Time deadline() const noexcept { return armed() ? deadline_ : kNever; }

 private:
  friend class Calendar<Context>;
  static constexpr std::uint16_t kIdle = 0xffff;
  static constexpr std::uint16_t kDue = 0xfffe;

  Timer* next_ = nullptr;
  Timer* prev_ = nullptr;
  Time deadline_{};
  Fire fire_;
  std::uint16_t place_ = kIdle;  // level * 1024 + bucket, or kDue
};

template <class Context>
class Calendar {
 public:
  using Node = Timer<Context>;

  explicit Calendar(Time start = Time{}) : cursor_(tick(start)) {}

  std::size_t size() const noexcept { return size_; }

  // Re-arms an armed node. A deadline in the past fires at the next expire(). Requires: `deadline` is not
  // kNever, which means cancel().
  void arm(Node& node, Time deadline) noexcept {
    DP_EXPECT_HOT(deadline != kNever);
    if (node.armed()) remove(node);
    node.deadline_ = deadline;
    place(node);
    if (++size_ == 1) {
      next_known_ = true;
      next_ = deadline;
    } else if (next_known_ && deadline < next_) {
      next_ = deadline;
    }
  }

  void cancel(Node& node) noexcept {
    if (node.armed()) remove(node);
  }

  // Fires the nodes with deadline <= now in order of (deadline, arming), those armed by the handlers
  // included. Returns how many fired; fewer than `limit` when nothing is left that is due.
  std::size_t expire(Time now, Context& context, std::size_t limit = ~std::size_t{0}) noexcept {
    std::size_t fired = 0;
    do {
      while (due_.head != nullptr && due_.head->deadline_ <= now) {
        if (fired == limit) return fired;
        Node& node = *due_.head;
        remove(node);
        node.fire_(node, node.deadline_, context);
        ++fired;
      }
    } while (due_.head == nullptr && advance(tick(now)));
    return fired;
  }

  // The earliest deadline armed, kNever when there is none. O(1) unless the earliest node went since the last
  // call; then one bucket is read.
  Time next_deadline() noexcept {
    if (size_ == 0) return kNever;
    if (!next_known_) {
      next_ = find_next();
      next_known_ = true;
    }
    return next_;
  }

 private:
  static constexpr unsigned kTickBits = 10;    // a level-0 bucket is 1.024 us wide
  static constexpr unsigned kBucketBits = 10;  // 1024 buckets a level
  static constexpr unsigned kLevels = 6;       // covers every int64 of nanoseconds
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;

  struct List {
    Node* head = nullptr;
    Node* tail = nullptr;
  };

  struct Level {
    std::uint16_t summary = 0;  // bit w: word w has a bit
    std::array<std::uint64_t, kBuckets / 64> words{};
    std::array<List, kBuckets> buckets{};

    void mark(std::size_t bucket) noexcept {
      words[bucket / 64] |= std::uint64_t{1} << bucket % 64;
      summary = static_cast<std::uint16_t>(summary | 1u << bucket / 64);
    }
    void unmark(std::size_t bucket) noexcept {
      words[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
      if (words[bucket / 64] == 0) summary = static_cast<std::uint16_t>(summary & ~(1u << bucket / 64));
    }
    std::size_t first() const noexcept {
      DP_EXPECT_HOT(summary != 0);
      const auto word = static_cast<std::size_t>(std::countr_zero(summary));
      return word * 64 + static_cast<std::size_t>(std::countr_zero(words[word]));
    }
  };

  // What holds between two calls, a tick being written in digits of kBucketBits bits, one a level:
  //
  // - cursor_ never goes back. Nodes whose tick is cursor_ or earlier are in `due_`, in order of (deadline,
  //   arming).
  // - Any other node is at the level of the highest digit in which its tick differs from cursor_, in the
  //   bucket that this digit numbers. So the bucket lies ahead of the cursor's digit of that level; nodes of
  //   one level come before those of the levels above; and nodes of one bucket stand in the order in which
  //   they were armed.
  // - A bucket has its bit in `words`, and a word its bit in `summary`, just when something is there.
  // - Timer::place_ says where a node is; size_ counts those that are anywhere.
  // - While next_known_, next_ is the earliest deadline armed.

  static std::uint64_t tick(Time t) noexcept {
    return ns(t) <= 0 ? 0 : static_cast<std::uint64_t>(ns(t)) >> kTickBits;
  }

  void place(Node& node) noexcept {
    const std::uint64_t t = tick(node.deadline_);
    if (t <= cursor_) {
      insert_due(node);
      return;
    }
    const auto level = static_cast<unsigned>(std::bit_width(t ^ cursor_) - 1) / kBucketBits;
    const std::size_t bucket = t >> (level * kBucketBits) & (kBuckets - 1);
    DP_EXPECT_HOT(level < kLevels && bucket > (cursor_ >> (level * kBucketBits) & (kBuckets - 1)));
    node.place_ = static_cast<std::uint16_t>(level << kBucketBits | bucket);
    link_after(levels_[level].buckets[bucket], levels_[level].buckets[bucket].tail, node);
    levels_[level].mark(bucket);
  }

  // The current bucket's nodes, sorted; a bucket is a microsecond wide, so the walk is short.
  void insert_due(Node& node) noexcept {
    node.place_ = Node::kDue;
    Node* before = due_.tail;
    while (before != nullptr && before->deadline_ > node.deadline_) before = before->prev_;
    link_after(due_, before, node);
  }

  static void link_after(List& list, Node* before, Node& node) noexcept {
    Node* after = before == nullptr ? list.head : before->next_;
    node.prev_ = before;
    node.next_ = after;
    (before == nullptr ? list.head : before->next_) = &node;
    (after == nullptr ? list.tail : after->prev_) = &node;
  }

  void remove(Node& node) noexcept {
    const std::size_t level = node.place_ >> kBucketBits;
    const std::size_t bucket = node.place_ & (kBuckets - 1);
    List& list = node.place_ == Node::kDue ? due_ : levels_[level].buckets[bucket];
    DP_EXPECT_HOT(size_ > 0);
    DP_EXPECT_HOT((node.prev_ == nullptr ? list.head : node.prev_->next_) == &node);
    DP_EXPECT_HOT((node.next_ == nullptr ? list.tail : node.next_->prev_) == &node);
    (node.prev_ == nullptr ? list.head : node.prev_->next_) = node.next_;
    (node.next_ == nullptr ? list.tail : node.next_->prev_) = node.prev_;
    if (node.place_ != Node::kDue && list.head == nullptr) levels_[level].unmark(bucket);
    node.place_ = Node::kIdle;
    --size_;
    if (node.deadline_ == next_) next_known_ = false;
  }

  // The lowest level that holds anything holds the earliest; kLevels when all are empty.
  unsigned lowest_level() const noexcept {
    unsigned level = 0;
    while (level < kLevels && levels_[level].summary == 0) ++level;
    return level;
  }

  // Moves the cursor to the next occupied bucket at or before tick `to` and spreads it over the levels below;
  // false, with the cursor at `to`, when there is none.
  bool advance(std::uint64_t to) noexcept {
    if (to <= cursor_) return false;
    const unsigned level = lowest_level();
    if (level < kLevels) {
      const std::size_t bucket = levels_[level].first();
      const unsigned shift = level * kBucketBits;
      const std::uint64_t above = cursor_ >> shift >> kBucketBits << kBucketBits;
      const std::uint64_t start = (above | bucket) << shift;
      DP_EXPECT_HOT(start > cursor_);
      if (start <= to) {
        cursor_ = start;
        spread(level, bucket);
        return true;
      }
    }
    cursor_ = to;
    return false;
  }

  void spread(unsigned level, std::size_t bucket) noexcept {
    Node* node = levels_[level].buckets[bucket].head;
    levels_[level].buckets[bucket] = {};
    levels_[level].unmark(bucket);
    while (node != nullptr) {
      Node* next = node->next_;
      place(*node);
      node = next;
    }
  }

  Time find_next() const noexcept {
    if (due_.head != nullptr) return due_.head->deadline_;
    const Level& level = levels_[lowest_level()];
    Time earliest = kNever;
    for (const Node* n = level.buckets[level.first()].head; n != nullptr; n = n->next_) {
      earliest = n->deadline_ < earliest ? n->deadline_ : earliest;
    }
    return earliest;
  }

  std::uint64_t cursor_;  // the bucket in `due_`; nodes of this tick or earlier are there
  List due_;
  std::array<Level, kLevels> levels_{};
  std::size_t size_ = 0;
  Time next_ = kNever;  // meaningful while next_known_
  bool next_known_ = true;
};

}  // namespace dp
