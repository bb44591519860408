// The ring through which a worker passes captured frames to control: fixed slots, one producer, one consumer,
// no lock. Neither waits: a record without room is refused, and the producer counts it.
// Requires: one thread alone calls reserve(), withdraw() and publish(), one alone front() and pop().
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "dataplane/base/expect.h"
#include "dataplane/tap/record.h"

namespace dp {

class TapRing {
 public:
  // Requires: a power of two.
  explicit TapRing(std::size_t slots) : slots_(std::make_unique<TapRecord[]>(slots)), mask_(slots - 1) {
    DP_EXPECT(std::has_single_bit(slots));
  }
  static std::size_t bytes_for(std::size_t slots) { return slots * sizeof(TapRecord); }

  // A record with room for `captured` bytes behind it, invisible to the consumer before publish(); null if
  // the ring is full. A record never wraps: one without slots behind the last begins at the first.
  TapRecord* reserve(std::uint32_t captured) noexcept {
    const std::size_t wanted = 1 + (captured + kTapSlot - 1) / kTapSlot;
    const std::size_t to_end = mask_ + 1 - (reserved_ & mask_);
    const std::size_t skipped = wanted > to_end ? to_end : 0;
    if (!has_room(skipped + wanted)) return nullptr;
    if (skipped != 0) begin(skipped)->captures = 0;
    TapRecord* const record = begin(wanted);
    record->captured = captured;
    return record;
  }
  // The end of the records that are reserved; withdraw() takes back those behind such an end.
  // Requires: nothing was published since that is behind it.
  std::size_t mark() const noexcept { return reserved_; }
  void withdraw(std::size_t to_mark) noexcept {
    DP_EXPECT(to_mark <= reserved_ && to_mark >= tail_.load(std::memory_order_relaxed));
    reserved_ = to_mark;
  }
  void publish() noexcept { tail_.store(reserved_, std::memory_order_release); }

  // The oldest published record; null if there is none. Valid until pop().
  const TapRecord* front() noexcept {
    for (;;) {
      const std::size_t head = head_.load(std::memory_order_relaxed);
      if (head == tail_.load(std::memory_order_acquire)) return nullptr;
      const TapRecord& record = slots_[head & mask_];
      if (record.captures != 0) return &record;
      head_.store(head + record.slots, std::memory_order_release);
    }
  }
  // Requires: front() was not null.
  void pop() noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    head_.store(head + slots_[head & mask_].slots, std::memory_order_release);
  }
  // Slots published and popped since the beginning.
  std::size_t published() const noexcept { return tail_.load(std::memory_order_acquire); }
  std::size_t popped() const noexcept { return head_.load(std::memory_order_acquire); }

 private:
  bool has_room(std::size_t wanted) noexcept {
    if (reserved_ + wanted - seen_head_ <= mask_ + 1) return true;
    seen_head_ = head_.load(std::memory_order_acquire);
    return reserved_ + wanted - seen_head_ <= mask_ + 1;
  }
  TapRecord* begin(std::size_t slots) noexcept {
    TapRecord* const record = new (&slots_[reserved_ & mask_]) TapRecord;
    record->slots = static_cast<std::uint32_t>(slots);
    reserved_ += slots;
    return record;
  }

  const std::unique_ptr<TapRecord[]> slots_;
  const std::size_t mask_;
  std::size_t reserved_ = 0;   // the producer's
  std::size_t seen_head_ = 0;  // likewise
  alignas(64) std::atomic<std::size_t> head_{0};
  alignas(64) std::atomic<std::size_t> tail_{0};
};

}  // namespace dp
