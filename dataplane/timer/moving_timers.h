// Timers that a calendar (timer/calendar.h) has armed for its wheel and not yet put there, so that several
// move at a time and wait for memory together.
// Tests: tests/unit/timer/calendar_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/timer/bucket_marks.h"
#include "dataplane/timer/timer.h"
#include "dataplane/timer/timer_links.h"

namespace dp {

template <class Context>
class MovingTimers {
 public:
  using Node = Timer<Context>;
  using Links = TimerLinks<Context>;
  using Id = typename Links::Id;

  static constexpr std::size_t kMost = 64;

  bool empty() const noexcept { return end_ == moving_.data(); }
  // Those that were in no list before.
  std::size_t fresh() const noexcept {
    return static_cast<std::size_t>(end_ - moving_.data()) - armed_before_;
  }

  // The timer is to be the last of a bucket. True when there is no room for more: settle() comes next.
  // Requires: it is nowhere, or in a list, or in here.
  [[gnu::always_inline]] bool add(Node& node, Id bucket) noexcept {
    if (node.place_ != Node::kNowhere) [[unlikely]]
      ++armed_before_;
    node.place_ |= Node::kMoving;
    end_->node = &node;
    end_->bucket = bucket;
    return ++end_ == moving_.data() + kMost;
  }

  // Moves them into their buckets, in the order in which they came. Requires: there are some.
  void settle(Links& links, BucketMarks& marks) noexcept {
    end_ == moving_.data() + 1 ? settle_one(links, marks) : settle_all(links, marks);
  }
  [[gnu::noinline]] void settle_all(Links& links, BucketMarks& marks) noexcept {
    const std::span<Moving> moving(moving_.data(), end_);
    if (armed_before_ != 0) [[unlikely]] {
      move(moving, links, marks);
    } else {
      enter(moving, links, marks);
    }
    clear();
  }

 private:
  struct Moving {
    Node* node;
    Id bucket;
    Id place;  // for move()
  };

  // settle_all() for one timer, as in a poll with one frame: 23 instructions less, of the 1,000 that such a
  // frame may take (rncbench counts --burst 1).
  [[gnu::noinline]] void settle_one(Links& links, BucketMarks& marks) noexcept {
    move_now(moving_.front(), links, marks);
    clear();
  }
  void clear() noexcept {
    end_ = moving_.data();
    armed_before_ = 0;
  }

  // None of them was armed before. Frames of a burst often leave together, so that their timers are of one
  // bucket.
  static void enter(std::span<const Moving> moving, Links& links, BucketMarks& marks) noexcept {
    for (auto one = moving.begin(); one != moving.end();) {
      const Id bucket = one->bucket;
      marks.mark(bucket);
      links.put_last(bucket, [&]() -> Node* {
        if (one == moving.end() || one->bucket != bucket) return nullptr;
        return one++->node;
      });
    }
  }
  // Some of them were. A step for all before the next: one timer after the other would wait for memory
  // several times each.
  static void move(std::span<Moving> moving, Links& links, BucketMarks& marks) noexcept {
    for (Moving& one : moving) {
      one.place = one.node->place_in_list();
      links.prefetch(one.place);
      links.prefetch(one.bucket);
    }
    for (const Moving& one : moving) {
      links.prefetch(links.next(one.place));
      links.prefetch(links.previous(one.place));
      links.prefetch(links.previous(one.bucket));
    }
    for (const Moving& one : moving) move_now(one, links, marks);
  }
  static void move_now(const Moving& one, Links& links, BucketMarks& marks) noexcept {
    // Its present place: a timer that was nowhere may be in here twice.
    Id place = one.node->place_in_list();
    if (place == Node::kNowhere) {
      place = links.take(*one.node);
    } else {
      links.remove(place);
    }
    one.node->place_ = place;
    links.put_before(one.bucket, place);
    marks.mark(one.bucket);
  }

  std::array<Moving, kMost> moving_;
  Moving* end_ = moving_.data();
  std::size_t armed_before_ = 0;  // entries whose timer was armed
};

}  // namespace dp
