// What the program has allocated so far, by new. For programs of their own, which counted_bytes.cc belongs
// to.
#pragma once
#include <cstddef>

namespace dp::test {

extern std::size_t heap_allocations, heap_bytes;

}  // namespace dp::test
