// The lists of which the calendar (base/calendar.h) is made, and a level of buckets of them. They link timers
// and own none.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/timer.h"

namespace dp {

template <class Context>
struct TimerList {
  using Node = Timer<Context>;

  Node* head = nullptr;
  Node* tail = nullptr;

  void push_back(Node& node) noexcept { put(tail, nullptr, node); }
  void push_front(Node& node) noexcept { put(nullptr, head, node); }
  // Behind `before`, null being the front. Requires: it is in the list.
  void put_behind(Node* before, Node& node) noexcept {
    put(before, before == nullptr ? head : before->next_, node);
  }

  // Another list, behind this one. Requires: it is not empty; it is not used any more.
  void append(const TimerList& other) noexcept {
    DP_EXPECT_HOT(other.head != nullptr);
    other.head->prev_ = tail;
    (tail == nullptr ? head : tail->next_) = other.head;
    tail = other.tail;
  }

  // Requires: it is in the list.
  void remove(Node& node) noexcept {
    DP_EXPECT_HOT((node.prev_ == nullptr ? head : node.prev_->next_) == &node);
    DP_EXPECT_HOT((node.next_ == nullptr ? tail : node.next_->prev_) == &node);
    (node.prev_ == nullptr ? head : node.prev_->next_) = node.next_;
    (node.next_ == nullptr ? tail : node.next_->prev_) = node.prev_;
  }
  // The first. Requires: there is one.
  Node& pop() noexcept {
    DP_EXPECT_HOT(head != nullptr);
    Node& node = *head;
    head = node.next_;
    (head == nullptr ? tail : head->prev_) = nullptr;
    return node;
  }

 private:
  void put(Node* before, Node* after, Node& node) noexcept {
    node.prev_ = before;
    node.next_ = after;
    (before == nullptr ? head : before->next_) = &node;
    (after == nullptr ? tail : after->prev_) = &node;
  }
};

// Buckets, and which of them hold something: a bit each, and a bit over each word of these.
template <class Context>
struct TimerLevel {
  static constexpr unsigned kDigitBits = 10;
  static constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

  std::uint16_t summary = 0;  // bit w: word w has a bit
  std::array<std::uint64_t, kBuckets / 64> words{};
  std::array<TimerList<Context>, kBuckets> buckets{};

  void mark(std::size_t bucket) noexcept {
    words[bucket / 64] |= std::uint64_t{1} << bucket % 64;
    summary = static_cast<std::uint16_t>(summary | 1u << bucket / 64);
  }
  void unmark(std::size_t bucket) noexcept {
    words[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    if (words[bucket / 64] == 0) summary = static_cast<std::uint16_t>(summary & ~(1u << bucket / 64));
  }
  // The first that is marked. Requires: one is.
  std::size_t first() const noexcept {
    DP_EXPECT_HOT(summary != 0);
    const auto word = static_cast<std::size_t>(std::countr_zero(summary));
    return word * 64 + static_cast<std::size_t>(std::countr_zero(words[word]));
  }
};

}  // namespace dp
