// The timers of a calendar (timer/calendar.h) that have become due, in the order in which they fire.
// Tests: tests/unit/timer/calendar_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/base/reserved_array.h"
#include "dataplane/base/time.h"
#include "dataplane/timer/timer.h"

namespace dp {

template <class Context>
class DueTimers {
 public:
  using Node = Timer<Context>;

  // `most`: the number of timers at a time.
  explicit DueTimers(std::size_t most) : timers_(most) {
    timers_.grow(1);  // to a whole step
  }

  std::size_t size() const noexcept {
    std::size_t n = 0;
    for (std::uint32_t i = first_; i != end_; ++i) n += timers_[i] != nullptr;
    return n;
  }
  // Null when there is none.
  Node* first() noexcept {
    for (; first_ != end_; ++first_) {
      if (Node* const timer = timers_[first_]; timer != nullptr) return timer;
    }
    return nullptr;
  }
  // Requires: it was the last result of first().
  void take_first(Node& timer) noexcept {
    DP_EXPECT_HOT(first() == &timer);
    ++first_;
    timer.place_ = Node::kNowhere;
  }
  // Requires: it is in here.
  void remove(Node& timer) noexcept {
    DP_EXPECT_HOT(timers_[timer.place_ - Node::kDue] == &timer);
    timers_[timer.place_ - Node::kDue] = nullptr;
    timer.place_ = Node::kNowhere;
  }

  // Puts a timer behind all others. False, and it stays where it is, when it may belong before one of them,
  // or there is no room. Requires: it is nowhere, and its deadline is set.
  bool append(Node& timer) noexcept {
    DP_EXPECT_HOT(!timer.armed());
    if (first() == nullptr) {
      first_ = end_ = 0;
    } else if (timers_[end_ - 1] == nullptr || timers_[end_ - 1]->deadline_ > timer.deadline_) {
      return false;
    }
    if (end_ == timers_.size()) return false;
    timers_[end_] = &timer;
    timer.place_ = Node::kDue + end_++;
    return true;
  }

  // The timers that become due next are written in roughly sorted order from the pointer that begin() returns
  // up to the one passed to end(), then sorted. Requires: none is due; they are no more than `most`.
  Node** begin(std::size_t most) noexcept {
    DP_EXPECT_HOT(first() == nullptr);
    timers_.grow(most);
    first_ = end_ = 0;
    return &timers_[0];
  }
  void end(Node* const* behind) noexcept {
    DP_EXPECT_HOT(end_ == 0);
    end_ = static_cast<std::uint32_t>(behind - &timers_[0]);
    DP_EXPECT_HOT(end_ <= timers_.size());
  }
  // Sorts by deadline, timers of equal deadlines in the order of arrival. Memory that their handlers touch is
  // fetched on the way: the second and the third step (timer/timer.h). False if there is none.
  bool sort() noexcept {
    if (end_ != 1) return sort_many();
    Node& only = *timers_[0];
    if (only.fetch_second()) only.fetch_third();
    only.place_ = Node::kDue;
    return true;
  }

 private:
  // Moves each timer that is out of order to its place, and, if that proves to be far, sorts all.
  bool sort_many() noexcept {
    // Timers for which memory is fetched in the third step, of kTogether timers at a time. Each is written,
    // and only some stay: a branch would be mispredicted.
    constexpr std::uint32_t kTogether = 64;
    std::array<const Node*, kTogether> later;
    std::size_t steps = 0;
    Time latest = Time::min();
    const std::uint32_t end = end_;
    for (std::uint32_t i = 0; i < end;) {
      std::size_t n = 0;
      for (const std::uint32_t stop = std::min(end, i + kTogether); i < stop; ++i) {
        Node& node = *timers_[i];
        later[n] = &node;
        n += node.fetch_second();
        std::uint32_t at = i;
        if (node.deadline_ < latest) [[unlikely]] {
          if (steps > 8 * std::size_t{end}) {
            sort_all();
            return true;
          }
          for (; at != 0 && timers_[at - 1]->deadline_ > node.deadline_; --at, ++steps) {
            timers_[at] = timers_[at - 1];
            timers_[at]->place_ = Node::kDue + at;
          }
          timers_[at] = &node;
        } else {
          latest = node.deadline_;
        }
        node.place_ = Node::kDue + at;
      }
      for (const Node* node : std::span(later).first(n)) node->fetch_third();
    }
    return end != 0;
  }

  // The present order decides between timers of equal deadlines; earlier moves have kept it.
  [[gnu::noinline]] void sort_all() noexcept {
    for (std::uint32_t i = 0; i < end_; ++i) timers_[i]->place_ = Node::kDue + i;
    std::sort(&timers_[0], &timers_[0] + end_, [](const Node* a, const Node* b) {
      return a->deadline_ != b->deadline_ ? a->deadline_ < b->deadline_ : a->place_ < b->place_;
    });
    for (std::uint32_t i = 0; i < end_; ++i) timers_[i]->place_ = Node::kDue + i;
  }

  // From first_ to end_; null if one has left. Each has its number.
  ReservedArray<Node*> timers_;
  std::uint32_t first_ = 0, end_ = 0;
};

}  // namespace dp
