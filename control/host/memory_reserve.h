// Memory that is kept for when the system has none left. To end takes memory too: destructors ask for some,
// those of parsed JSON among them, and where they find none the program is aborted.
#pragma once
#include <cstddef>

namespace control {

class MemoryReserve {
 public:
  // From here on, when the system refuses memory to operator new, on any thread and be it nothrow: the first
  // time so many bytes are given back to the system, and operator new goes on; the second time as many again,
  // and it throws std::bad_alloc, so that they are there for who unwinds, or goes on where a destructor asks
  // while the stack is unwound; and then it throws as ever. Nobody touches them
  // before: they take address space alone. Throws std::bad_alloc. Requires: there is no other.
  explicit MemoryReserve(std::size_t bytes);
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // Some was needed: whoever can ends. Any thread.
  static bool needed() noexcept;
};

}  // namespace control
