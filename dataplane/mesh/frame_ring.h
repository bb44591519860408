// Hands entries from one worker to another: a ring of fixed capacity for one thread that pushes and one that
// pops, in batches. Each end remembers the other's position from its last look, and looks again only if that
// is not enough: one by one, every entry would cost a cache line that both write.
// Tests: tests/unit/worker/mesh_test.cc
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

  // Returns the number of leading entries that it took, and owns those.
  std::size_t push(std::span<const Entry> entries) noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail + entries.size() - known_head_ > kCapacity) known_head_ = head_.load(std::memory_order_acquire);
    DP_EXPECT_HOT(tail - known_head_ <= kCapacity);
    const std::size_t count = std::min(entries.size(), kCapacity - (tail - known_head_));
    for (std::size_t i = 0; i < count; ++i) entries_[(tail + i) % kCapacity] = entries[i];
    if (count != 0) tail_.store(tail + count, std::memory_order_release);
    return count;
  }

  // The numbers of entries that it has ever taken and given out, for the pushing thread.
  std::size_t pushed() const noexcept { return tail_.load(std::memory_order_relaxed); }
  std::size_t popped() const noexcept { return head_.load(std::memory_order_acquire); }

  // Fills `out` as far as there are entries, which are the caller's from then on; returns their number.
  std::size_t pop(std::span<Entry> out) noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (known_tail_ == head) known_tail_ = tail_.load(std::memory_order_acquire);
    DP_EXPECT_HOT(known_tail_ - head <= kCapacity);
    const std::size_t count = std::min(out.size(), known_tail_ - head);
    for (std::size_t i = 0; i < count; ++i) out[i] = entries_[(head + i) % kCapacity];
    if (count != 0) head_.store(head + count, std::memory_order_release);
    return count;
  }

 private:
  static_assert((kCapacity & (kCapacity - 1)) == 0);

  alignas(64) std::atomic<std::size_t> head_{0};  // written by the popping thread
  std::size_t known_tail_ = 0;                    // the popping thread's
  alignas(64) std::atomic<std::size_t> tail_{0};  // written by the pushing thread
  std::size_t known_head_ = 0;                    // the pushing thread's
  alignas(64) std::array<Entry, kCapacity> entries_{};
};

// Frames in one direction between two workers.
using FrameRing = BatchRing<Sdu*, 512>;

}  // namespace dp
