// FIFO of SDUs, linked through Sdu::next: owns what it holds until popped, costs no memory of its own.
#pragma once
#include <cstddef>

#include "dataplane/packet/sdu.h"

namespace dp {

class SduList {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  std::size_t size() const noexcept { return size_; }
  Sdu* front() const noexcept { return head_; }

  void push(Sdu& sdu) noexcept {
    sdu.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &sdu;
    tail_ = &sdu;
    ++size_;
  }

  void push_front(Sdu& sdu) noexcept {
    sdu.next = head_;
    if (head_ == nullptr) tail_ = &sdu;
    head_ = &sdu;
    ++size_;
  }

  // The list must not be empty.
  Sdu& pop() noexcept {
    Sdu& sdu = *head_;
    head_ = sdu.next;
    --size_;
    return sdu;
  }

  // Moves everything behind our own tail, in order.
  void append(SduList& other) noexcept {
    if (other.empty()) return;
    (head_ == nullptr ? head_ : tail_->next) = other.head_;
    tail_ = other.tail_;
    size_ += other.size_;
    other.head_ = nullptr;
    other.size_ = 0;
  }

 private:
  Sdu* head_ = nullptr;
  Sdu* tail_ = nullptr;  // valid while head_ is
  std::size_t size_ = 0;
};

}  // namespace dp
