// How one worker hands frames to another: a ring of fixed capacity for one thread that pushes and one that
// pops, in batches. Each end remembers how far the other had come when it looked last, and looks again only
// when that is not enough: one by one, every frame would cost a cache line that both write.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"

namespace dp {

class FrameRing {
 public:
  static constexpr std::size_t kCapacity = 512;

  // Answers how many of the first it took, and owns those.
  std::size_t push(std::span<Sdu* const> frames) noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail + frames.size() - known_head_ > kCapacity) known_head_ = head_.load(std::memory_order_acquire);
    DP_EXPECT_HOT(tail - known_head_ <= kCapacity);
    const std::size_t count = std::min(frames.size(), kCapacity - (tail - known_head_));
    for (std::size_t i = 0; i < count; ++i) entries_[(tail + i) % kCapacity] = frames[i];
    if (count != 0) tail_.store(tail + count, std::memory_order_release);
    return count;
  }

  // Fills as much of `room` as there are frames for, which are the caller's from then on; answers how many.
  std::size_t pop(std::span<Sdu*> room) noexcept {
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
  alignas(64) std::array<Sdu*, kCapacity> entries_{};
};

}  // namespace dp
