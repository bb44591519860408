// A number with one writer and any readers, without locks: a plain load and store for the writer (no atomic
// read-modify-write), never torn for a reader. The owner of the enclosing object is the writer.
// Tests: tests/unit/base/split_counter_test.cc
#pragma once
#include <cstdint>

#include "dataplane/base/expect.h"

// The thread sanitizer does not see what assembly stores.
#if defined(__x86_64__) && !defined(DP_SANITIZE_THREAD)
#define DP_ADDS_IN_MEMORY
#endif

namespace dp {

template <class Number>
class CounterOf {
 public:
  void add(Number n) noexcept {
#ifdef DP_ADDS_IN_MEMORY
    // One instruction, where the compiler makes three of an atomic load and store. It is not locked, but it
    // stores the whole number at once.
    if constexpr (sizeof(Number) == 8) {
      asm("addq %1, %0" : "+m"(value_) : "er"(n) : "cc");
    } else {
      static_assert(sizeof(Number) == 4);
      asm("addl %1, %0" : "+m"(value_) : "ir"(n) : "cc");
    }
#else
    set(get() + n);
#endif
  }
  // Requires: n <= get().
  void sub(Number n) noexcept {
    DP_EXPECT_HOT(n <= get());
#ifdef DP_ADDS_IN_MEMORY
    if constexpr (sizeof(Number) == 8) {
      asm("subq %1, %0" : "+m"(value_) : "er"(n) : "cc");
    } else {
      static_assert(sizeof(Number) == 4);
      asm("subl %1, %0" : "+m"(value_) : "ir"(n) : "cc");
    }
#else
    set(get() - n);
#endif
  }
  void set(Number n) noexcept { __atomic_store_n(&value_, n, __ATOMIC_RELAXED); }
  Number get() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  // set() and get() if another number is written before and read after: a reader of this value also finds
  // that one.
  void set_after(Number n) noexcept { __atomic_store_n(&value_, n, __ATOMIC_RELEASE); }
  Number get_before() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  // get() for the writer, which races with no other writer: a load that the compiler may join with another,
  // or leave out.
  Number own() const noexcept { return value_; }

 private:
  Number value_ = 0;
};

using Counter = CounterOf<std::uint64_t>;
// For objects whose memory matters, and numbers that count members of such an object.
using SmallCounter = CounterOf<std::uint32_t>;

}  // namespace dp
