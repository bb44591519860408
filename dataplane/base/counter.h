// A number with one writer and any readers, without locks: a plain load and store for the writer (no atomic
// read-modify-write), never torn for a reader. Whoever owns the object that holds it is the writer.
#pragma once
#include <atomic>
#include <cstdint>

#include "dataplane/base/expect.h"

namespace dp {

class Counter {
 public:
  void add(std::uint64_t n) noexcept { value_.store(get() + n, std::memory_order_relaxed); }
  // Requires: n <= get().
  void sub(std::uint64_t n) noexcept {
    const std::uint64_t value = get();
    DP_EXPECT_HOT(n <= value);
    value_.store(value - n, std::memory_order_relaxed);
  }
  void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace dp
