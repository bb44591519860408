// Single-producer single-consumer ring of fixed capacity: how two threads pass small values without locks.
// Requires: one thread alone calls push, one alone calls pop. Neither ever waits.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <type_traits>

#include "dataplane/base/expect.h"

namespace dp {

template <class T, std::size_t kCapacity>
class SpscRing {
  static_assert((kCapacity & (kCapacity - 1)) == 0, "capacity must be a power of two");
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t capacity() { return kCapacity; }

  bool push(const T& value) noexcept {
    const auto tail = tail_.load(std::memory_order_relaxed);
    const auto waiting = tail - head_.load(std::memory_order_acquire);
    DP_EXPECT(waiting <= kCapacity);
    if (waiting == kCapacity) return false;
    entries_[tail & (kCapacity - 1)] = value;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  bool pop(T& value) noexcept {
    const auto head = head_.load(std::memory_order_relaxed);
    const auto waiting = tail_.load(std::memory_order_acquire) - head;
    DP_EXPECT(waiting <= kCapacity);
    if (waiting == 0) return false;
    value = entries_[head & (kCapacity - 1)];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Elements waiting; exact for either end's own thread when the other is idle, else a moment old.
  std::size_t size() const noexcept {
    return tail_.load(std::memory_order_acquire) - head_.load(std::memory_order_acquire);
  }

 private:
  alignas(64) std::atomic<std::size_t> head_{0};  // consumer: rw, producer: ro
  alignas(64) std::atomic<std::size_t> tail_{0};  // producer: rw, consumer: ro
  alignas(64) std::array<T, kCapacity> entries_{};
};

}  // namespace dp
