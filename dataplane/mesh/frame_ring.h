// How one worker hands things to another: a ring of fixed capacity for one thread that pushes and one that
// pops, in batches. Each end remembers how far the other had come when it looked last, and looks again only
// when that is not enough: one by one, every entry would cost a cache line that both write.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"

namespace dp {

template <class Entry, std::size_t kSize>
class BatchRing {
 public:
  static constexpr std::size_t kCapacity = kSize;

  // Answers how many of the first it took, and owns those.
  std::size_t push(std::span<const Entry> entries) noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail + entries.size() - known_head_ > kCapacity) known_head_ = head_.load(std::memory_order_acquire);
    DP_EXPECT_HOT(tail - known_head_ <= kCapacity);
    const std::size_t count = std::min(entries.size(), kCapacity - (tail - known_head_));
    for (std::size_t i = 0; i < count; ++i) entries_[(tail + i) % kCapacity] = entries[i];
    if (count != 0) tail_.store(tail + count, std::memory_order_release);
    return count;
  }

  // How many it has ever taken and given out, for who pushes.
  std::size_t pushed() const noexcept { return tail_.load(std::memory_order_relaxed); }
  std::size_t popped() const noexcept { return head_.load(std::memory_order_acquire); }

  // Fills as much of `room` as there are entries for, which are the caller's from then on; answers how many.
  std::size_t pop(std::span<Entry> room) noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (known_tail_ == head) known_tail_ = tail_.load(std::memory_order_acquire);
    DP_EXPECT_HOT(known_tail_ - head <= kCapacity);
    const std::size_t count = std::min(room.size(), known_tail_ - head);
    for (std::size_t i = 0; i < count; ++i) room[i] = entries_[(head + i) % kCapacity];
    if (count != 0) head_.store(head + count, std::memory_order_release);
    return count;
  }

 private:
  static_assert((kCapacity & (kCapacity - 1)) == 0);

  alignas(64) std::atomic<std::size_t> head_{0};  // who pops writes it
  std::size_t known_tail_ = 0;                    // who pops
  alignas(64) std::atomic<std::size_t> tail_{0};  // who pushes writes it
  std::size_t known_head_ = 0;                    // who pushes
  alignas(64) std::array<Entry, kCapacity> entries_{};
};

// Frames of one way.
using FrameRing = BatchRing<Sdu*, 512>;

}  // namespace dp
