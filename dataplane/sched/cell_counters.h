// Counters of a cell: written by its worker, read by any thread.
#pragma once
#include <atomic>
#include <cstdint>

#include "dataplane/base/counter.h"

namespace dp {

struct CellCounters {
  Counter slots_short;                    // slots in which an SDU of a short flow was sent first
  Counter slots_long;                     // other granted slots
  Counter slots_nobody;                   // held back by `share`, missed, or useless to all waiting members
  Counter bits;                           // capacity of the granted slots
  Counter backlogged;                     // bearers backlogged now
  Counter stale_reports;                  // reports that were too old for a slot, each counted once
  std::atomic<std::uint64_t> refused{0};  // UEs not learnt because the cell was full; by any worker
};

}  // namespace dp
