#include "control/host/memory_reserve.h"

#include <array>
#include <atomic>
#include <exception>
#include <new>

#include <sys/mman.h>

#include "dataplane/base/expect.h"

namespace control {
namespace {

// Global, as operator new is.
std::array<void*, 2> parts{};
std::size_t part_bytes = 0;
std::atomic<std::size_t> refusals{0};

// Called by operator new, which tries again afterwards.
void give_part() {
  const std::size_t refusal = refusals++;
  if (refusal < parts.size()) ::munmap(parts[refusal], part_bytes);
  const bool in_destructor = std::uncaught_exceptions() > 0;  // must not throw
  if (refusal == 0 || (refusal == 1 && in_destructor)) return;
  throw std::bad_alloc();
}

}  // namespace

MemoryReserve::MemoryReserve(std::size_t bytes) {
  DP_EXPECT(bytes > 0 && std::get_new_handler() == nullptr);
  part_bytes = bytes;
  for (void*& part : parts) {
    part = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (part == MAP_FAILED) {
      if (&part != parts.data()) ::munmap(parts[0], bytes);
      throw std::bad_alloc();
    }
  }
  refusals = 0;
  std::set_new_handler(give_part);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(nullptr);
  for (std::size_t i = refusals; i < parts.size(); ++i) ::munmap(parts[i], part_bytes);
}

bool MemoryReserve::needed() noexcept { return refusals != 0; }

}  // namespace control
