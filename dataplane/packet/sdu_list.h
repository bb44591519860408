// FIFOs of SDUs, linked through Sdu::next: they own what they hold until popped, and cost no memory of their
// own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class SduChain {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  Sdu* front() const noexcept { return head_; }

  void push(Sdu& sdu) noexcept {
    sdu.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &sdu;
    tail_ = &sdu;
  }

  void push_front(Sdu& sdu) noexcept {
    sdu.next = head_;
    if (head_ == nullptr) tail_ = &sdu;
    head_ = &sdu;
  }

  // Requires: it is not empty.
  Sdu& pop() noexcept {
    DP_EXPECT_HOT(!empty());
    Sdu& sdu = *head_;
    head_ = sdu.next;
    return sdu;
  }

  // Calls f(sdu) for each, in order.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (const Sdu* at = head_; at != nullptr; at = at == tail_ ? nullptr : at->next) f(*at);
  }

  // Moves everything behind our own tail, in order. Requires: `other` is another list.
  void append(SduChain& other) noexcept {
    DP_EXPECT_HOT(&other != this);
    if (other.empty()) return;
    (head_ == nullptr ? head_ : tail_->next) = other.head_;
    tail_ = other.tail_;
    other.head_ = nullptr;
  }

 private:
  Sdu* head_ = nullptr;
  Sdu* tail_ = nullptr;  // valid while head_ is
};

// One that gives up its last SDU too. Sdu::next holds the exclusive or of the addresses of both neighbours: a
// walk that comes from one finds the other. An end has no neighbour, 0, on one side. A second link would not
// fit: an Sdu is full, and one more line in front of each frame would cost 64 bytes a frame.
class SduDeque {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  Sdu* front() const noexcept { return head_; }

  void push(Sdu& sdu) noexcept {
    sdu.next = tail_;
    if (tail_ == nullptr) {
      head_ = &sdu;
    } else {
      tail_->next = beyond(*tail_, &sdu);
    }
    tail_ = &sdu;
  }
  // The first and the last. Both require: it is not empty.
  Sdu& pop() noexcept { return pop_end(head_, tail_); }
  Sdu& pop_back() noexcept { return pop_end(tail_, head_); }

  // Calls f(sdu) for each, in order.
  template <class F>
  void for_each(F&& f) const noexcept {
    const Sdu* before = nullptr;
    for (const Sdu* at = head_; at != nullptr;) {
      const Sdu* const after = beyond(*at, before);
      f(*at);
      before = std::exchange(at, after);
    }
  }

 private:
  // The neighbour on the other side than `from`.
  static Sdu* beyond(const Sdu& sdu, const Sdu* from) noexcept {
    return reinterpret_cast<Sdu*>(reinterpret_cast<std::uintptr_t>(sdu.next) ^
                                  reinterpret_cast<std::uintptr_t>(from));
  }
  static Sdu& pop_end(Sdu*& end, Sdu*& other) noexcept {
    DP_EXPECT_HOT(end != nullptr);
    Sdu& sdu = *end;
    end = sdu.next;
    if (end == nullptr) {
      other = nullptr;
    } else {
      end->next = beyond(*end, &sdu);
    }
    return sdu;
  }

  // Both are null, or neither is.
  Sdu* head_ = nullptr;
  Sdu* tail_ = nullptr;
};

// One in as many bytes as a pointer has, for where memory is dear: the last is followed by the first. To take
// one from among several touches the last too.
class SduLoop {
 public:
  bool empty() const noexcept { return last_ == nullptr; }
  Sdu* front() const noexcept { return empty() ? nullptr : last_->next; }
  Sdu* back() const noexcept { return last_; }

  void push(Sdu& sdu) noexcept {
    sdu.next = empty() ? &sdu : std::exchange(last_->next, &sdu);
    last_ = &sdu;
  }

  // Push and pop of a list that holds one SDU at most. Requires: it is empty; it holds one.
  void push_only(Sdu& sdu) noexcept {
    DP_EXPECT_HOT(empty());
    sdu.next = &sdu;
    last_ = &sdu;
  }
  Sdu& pop_only() noexcept {
    DP_EXPECT_HOT(!empty() && last_->next == last_);
    return *std::exchange(last_, nullptr);
  }

  // Requires: it is not empty.
  Sdu& pop() noexcept {
    DP_EXPECT_HOT(!empty());
    Sdu& sdu = *last_->next;
    if (&sdu == last_) {
      last_ = nullptr;
    } else {
      last_->next = sdu.next;
    }
    return sdu;
  }

  // Calls f(sdu) for each, in order.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (Sdu* at = front(); at != nullptr; at = at == last_ ? nullptr : at->next) f(*at);
  }

 private:
  Sdu* last_ = nullptr;
};

// One that knows how many it holds.
class SduList {
 public:
  bool empty() const noexcept { return chain_.empty(); }
  std::size_t size() const noexcept { return size_; }
  Sdu* front() const noexcept { return chain_.front(); }

  void push(Sdu& sdu) noexcept {
    chain_.push(sdu);
    ++size_;
  }
  void push_front(Sdu& sdu) noexcept {
    chain_.push_front(sdu);
    ++size_;
  }
  // Requires: it is not empty.
  Sdu& pop() noexcept {
    DP_EXPECT_HOT(size_ > 0);
    --size_;
    return chain_.pop();
  }
  void append(SduList& other) noexcept {
    chain_.append(other.chain_);
    size_ += other.size_;
    other.size_ = 0;
  }
  // Calls f(sdu) for each, in order.
  template <class F>
  void for_each(F&& f) const noexcept {
    chain_.for_each(f);
  }

 private:
  SduChain chain_;
  std::size_t size_ = 0;
};

}  // namespace dp
