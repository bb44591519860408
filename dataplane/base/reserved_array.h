// An array that grows and never moves: its addresses are reserved at construction, and memory is mapped as it
// grows, in steps of a huge page. Huge pages are requested from the kernel once there is more than one step.
// New memory is zero.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sys/mman.h>

#include "dataplane/base/expect.h"

namespace dp {

template <class T>
class ReservedArray {
 public:
  static constexpr std::size_t kStepBytes = std::size_t{2} << 20;

  // Reserves room for `most` elements; none is mapped yet.
  explicit ReservedArray(std::size_t most) : most_(most) {
    // From a whole step on, so that each step may be one page.
    const std::size_t bytes = steps(most) * kStepBytes + kStepBytes;
    reserved_ = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    DP_EXPECT(reserved_ != MAP_FAILED);
    const auto begin = reinterpret_cast<std::uintptr_t>(reserved_);
    first_ = reinterpret_cast<T*>((begin + kStepBytes - 1) / kStepBytes * kStepBytes);
  }
  ~ReservedArray() { ::munmap(reserved_, steps(most_) * kStepBytes + kStepBytes); }
  ReservedArray(const ReservedArray&) = delete;
  ReservedArray& operator=(const ReservedArray&) = delete;

  std::size_t size() const noexcept { return size_; }

  // Maps memory for at least `size` elements. Calls the kernel. Requires: there is room for them.
  void grow(std::size_t size) noexcept {
    if (size <= size_) return;
    DP_EXPECT(size <= most_);
    const std::size_t had = steps(size_), has = steps(size);
    std::byte* const from = reinterpret_cast<std::byte*>(first_) + had * kStepBytes;
    const int refused = ::mprotect(from, (has - had) * kStepBytes, PROT_READ | PROT_WRITE);
    DP_EXPECT(refused == 0);  // the kernel has no memory left to promise
    if (has > 1) ::madvise(first_, has * kStepBytes, MADV_HUGEPAGE);  // a wish
    size_ = std::min(most_, has * kStepBytes / sizeof(T));
  }

  // Requires: i < size().
  T& operator[](std::size_t i) noexcept {
    DP_EXPECT_HOT(i < size_);
    return first_[i];
  }
  const T& operator[](std::size_t i) const noexcept {
    DP_EXPECT_HOT(i < size_);
    return first_[i];
  }

 private:
  static_assert(std::is_trivially_copyable_v<T> && kStepBytes % sizeof(T) == 0);

  static std::size_t steps(std::size_t size) noexcept {
    return (size * sizeof(T) + kStepBytes - 1) / kStepBytes;
  }

  T* first_;
  std::size_t size_ = 0;
  std::size_t most_;
  void* reserved_;
};

}  // namespace dp
