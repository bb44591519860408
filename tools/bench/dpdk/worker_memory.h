// The memory of the worker's side: for each bearer, and once for itself. Computed from the types, and
// measured as the growth of the process while it was made. Plain: no rte_ names.
#pragma once
#include <cstdint>

namespace dp::yardstick {

// Bytes of this process that are resident. Throws nothing; 0 when the kernel does not report them.
std::uint64_t resident_bytes();

struct Bytes {
  std::uint64_t computed = 0;
  std::uint64_t resident = 0;  // growth of the resident memory
};

struct WorkerMemory {
  Bytes bearers, index;              // all of them; the index with the worker's list of its bearers
  Bytes calendar;                    // once a worker, like the next two
  Bytes shared;                      // WorkerShared: mailbox, snapshot, ClassBoard
  std::uint64_t class_board = 0;     // computed, of `shared`
  std::uint64_t rest_of_worker = 0;  // computed: the Worker itself without Calendar
};

// Makes a worker and `bearers` idle bearers for it, and lets them go. In a fresh process, else the
// measurement may find memory that others have left. Requires: bearers > 0.
WorkerMemory measure_worker_memory(std::uint32_t bearers);

}  // namespace dp::yardstick
