// A heap of the program's own, for programs that watch what is allocated: heap.cc has every form of `operator
// new` and `operator delete`, and calls the first two of these, which the program defines.
#pragma once
#include <cstddef>

namespace dp::test {

// `alignment` is a power of two.
void* allocated(std::size_t size, std::size_t alignment);
void freed(void* p);

// Memory for allocated(), which std::free() gives back. Ends the program when there is none.
void* memory(std::size_t size, std::size_t alignment);

}  // namespace dp::test
