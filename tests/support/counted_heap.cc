// The heap of a program whose guards count what is allocated and freed (tests/support/poll_guard.h).
#include <algorithm>
#include <cstdlib>
#include <new>

#include "tests/support/poll_guard.h"

namespace {

void* allocated(std::size_t size, std::size_t alignment) {
  using namespace dp::test;
  if (guard::up) ++guard::touched.allocations;
  const GuardLifted lifted;
  // aligned_alloc wants a multiple of the alignment.
  const std::size_t whole = (std::max(size, std::size_t{1}) + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, whole);
  if (p == nullptr) std::abort();
  return p;
}

void freed(void* p) {
  using namespace dp::test;
  if (guard::up && p != nullptr) ++guard::touched.frees;
  const GuardLifted lifted;
  std::free(p);
}

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
