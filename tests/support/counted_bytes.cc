#include "tests/support/counted_bytes.h"

#include <cstdlib>
#include <new>

namespace dp::test {

std::size_t heap_allocations = 0, heap_bytes = 0;

}  // namespace dp::test

namespace {

void* counted(std::size_t size) {
  ++dp::test::heap_allocations;
  dp::test::heap_bytes += size;
  void* const p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) std::abort();
  return p;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
