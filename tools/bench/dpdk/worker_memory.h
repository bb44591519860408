// What the worker's side keeps in memory: for each bearer, and once for itself. Computed from the types, and
// measured as what the process grew by while it was made. Plain: no rte_ names.
#pragma once
#include <cstdint>

namespace dp::yardstick {

// Bytes that are in memory of this process. Throws nothing; 0 when the kernel does not say.
std::uint64_t resident_bytes();

struct Bytes {
  std::uint64_t computed = 0;
  std::uint64_t resident = 0;  // more of it is in memory than before
};

struct WorkerMemory {
  Bytes bearers, index;              // of all; the index with the worker's list of its bearers
  Bytes calendar;                    // once a worker, as are the next
  Bytes shared;                      // WorkerShared: mailbox, snapshot, ClassBoard
  std::uint64_t class_board = 0;     // computed, of `shared`
  std::uint64_t rest_of_worker = 0;  // computed: the Worker itself without Calendar
};

// Makes a worker and as many idle bearers for it, and lets them go. In a fresh process, else what is measured
// may find memory that others have left. Requires: bearers > 0.
WorkerMemory measure_worker_memory(std::uint32_t bearers);

}  // namespace dp::yardstick
