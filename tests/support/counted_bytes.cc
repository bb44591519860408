#include "tests/support/counted_bytes.h"

#include <cstdlib>
#include <new>

namespace dp::test {

std::size_t heap_allocations = 0, heap_bytes = 0;

}  // namespace dp::test

namespace {

void* counted(std::size_t size, void* p) {
  ++dp::test::heap_allocations;
  dp::test::heap_bytes += size;
  if (p == nullptr) std::abort();
  return p;
}
void* allocate(std::size_t size) { return counted(size, std::malloc(size == 0 ? 1 : size)); }
// aligned_alloc() takes multiples of the alignment only.
void* allocate(std::size_t size, std::size_t alignment) {
  return counted(size, std::aligned_alloc(alignment, (size / alignment + 1) * alignment));
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
