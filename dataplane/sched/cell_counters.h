// What a cell counts: written by the worker that has it, read by anyone.
#pragma once
#include <atomic>
#include <cstdint>

#include "dataplane/base/counter.h"

namespace dp {

struct CellCounters {
  Counter slots_short;                    // given to who then sent an SDU of a short flow
  Counter slots_long;                     // to others
  Counter slots_nobody;                   // held back by `share`, missed, or of no use to those who waited
  Counter bits;                           // that the slots given could carry
  Counter backlogged;                     // bearers with something to send, now
  Counter stale_reports;                  // that were too old when a slot asked, each once
  std::atomic<std::uint64_t> refused{0};  // UEs not learnt since it was full; any worker's
};

}  // namespace dp
