// Memory that is kept for when the system has none left. To end takes memory too: destructors ask for some,
// those of parsed JSON among them, and where they find none the program is aborted (dataplane/decisions/070).
#pragma once
#include <cstddef>

namespace control {

class MemoryReserve {
 public:
  // Keeps two parts of so many bytes each. Nobody touches them, so that they take address space alone. From
  // here on it counts how often the system refuses memory to operator new, on any thread:
  // - the first time the first part is given back to the system, and operator new goes on;
  // - the second time the second part is given back. operator new throws std::bad_alloc, so that destructors
  //   find that memory; it goes on if it is one of those that asks;
  // - then it throws as if there had been no reserve.
  // Throws std::bad_alloc. Requires: there is no other reserve.
  explicit MemoryReserve(std::size_t bytes);
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // The system has refused memory: control ends. Any thread.
  static bool needed() noexcept;
};

}  // namespace control
