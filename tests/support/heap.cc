#include "tests/support/heap.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace dp::test {

void* memory(std::size_t size, std::size_t alignment) {
  // aligned_alloc wants a multiple of the alignment.
  const std::size_t whole = (std::max(size, std::size_t{1}) + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, whole);
  if (p == nullptr) std::abort();
  return p;
}

}  // namespace dp::test

using dp::test::allocated;
using dp::test::freed;

namespace {

constexpr std::size_t kUsual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t size) { return allocated(size, kUsual); }
void* operator new[](std::size_t size) { return allocated(size, kUsual); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { freed(p); }
void operator delete[](void* p) noexcept { freed(p); }
void operator delete(void* p, std::size_t) noexcept { freed(p); }
void operator delete[](void* p, std::size_t) noexcept { freed(p); }
void operator delete(void* p, std::align_val_t) noexcept { freed(p); }
void operator delete[](void* p, std::align_val_t) noexcept { freed(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { freed(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { freed(p); }
