// The heap of a program whose guards count what is allocated and freed (tests/support/poll_guard.h).
#include <cstdlib>

#include "tests/support/heap.h"
#include "tests/support/poll_guard.h"

namespace dp::test {

void* allocated(std::size_t size, std::size_t alignment) {
  if (guard::up) ++guard::touched.allocations;
  const GuardLifted lifted;
  return memory(size, alignment);
}

void freed(void* p) {
  if (guard::up && p != nullptr) ++guard::touched.frees;
  const GuardLifted lifted;
  std::free(p);
}

}  // namespace dp::test
