// Counters of one RLC AM entity. Written by the bearer's worker only; control may read them (base/counter.h).
#pragma once
#include "dataplane/base/counter.h"

namespace dp {

struct AmEntityCounters {
  Counter pdus_new, pdus_retransmitted, pdus_status;
  Counter polls;        // among the AMD PDUs sent
  Counter piggybacked;  // STATUS carried by AMD PDUs
  Counter pdus_received;
  Counter pdus_duplicate;  // duplicates, or outside the window
  Counter pdus_invalid;    // malformed
  Counter mrws;            // discard procedures begun
  Counter resets;          // reset procedures begun here
  Counter resets_by_peer;
};

}  // namespace dp
