// Bytes that the program has allocated so far, by new. For programs of their own, which link
// counted_bytes.cc.
#pragma once
#include <cstddef>

namespace dp::test {

extern std::size_t heap_allocations, heap_bytes;

}  // namespace dp::test
