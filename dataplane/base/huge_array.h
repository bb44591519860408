// An array that a worker reads at random places: if it has many pages, it requests huge ones from the kernel,
// so that each access costs one cache miss, without another for the page's entry. Memory is allocated at
// construction.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include <sys/mman.h>

#include "dataplane/base/expect.h"

namespace dp {

template <class T>
class HugeArray {
 public:
  static constexpr std::size_t kPageBytes = std::size_t{2} << 20;

  explicit HugeArray(std::size_t size)
      : size_(size), memory_(allocate(size * sizeof(T)), Free{alignment(size * sizeof(T))}) {
    std::uninitialized_value_construct_n(memory_.get(), size);
  }

  std::size_t size() const noexcept { return size_; }
  // Requires: i < size().
  T& operator[](std::size_t i) noexcept {
    DP_EXPECT_HOT(i < size_);
    return memory_.get()[i];
  }
  const T& operator[](std::size_t i) const noexcept {
    DP_EXPECT_HOT(i < size_);
    return memory_.get()[i];
  }

 private:
  static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);

  static std::align_val_t alignment(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= kPageBytes ? kPageBytes : 64};
  }
  static T* allocate(std::size_t bytes) {
    void* const memory = ::operator new(bytes, alignment(bytes));
    // Advice only; it works without huge pages too.
    if (bytes >= kPageBytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  struct Free {
    std::align_val_t alignment;
    void operator()(T* memory) const noexcept { ::operator delete(memory, alignment); }
  };

  std::size_t size_;
  std::unique_ptr<T, Free> memory_;
};

}  // namespace dp
