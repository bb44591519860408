#include "tests/support/counted_bytes.h"

#include <cstdlib>

#include "tests/support/heap.h"

namespace dp::test {

std::size_t heap_allocations = 0, heap_bytes = 0;

void* allocated(std::size_t size, std::size_t alignment) {
  ++heap_allocations;
  heap_bytes += size;
  return memory(size, alignment);
}

void freed(void* p) { std::free(p); }

}  // namespace dp::test
