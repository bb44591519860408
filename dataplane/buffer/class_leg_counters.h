// The counters of one worker for one class in one direction. Written by the worker, read by the metrics at
// any time.
#pragma once
#include <array>

#include "dataplane/aqm/registry.h"
#include "dataplane/base/counter.h"
#include "dataplane/base/drop_reason.h"
#include "dataplane/base/histogram.h"
#include "dataplane/rlc/am_event_totals.h"

namespace dp {

// The SDUs that one policy of AqmList dropped and marked.
struct ClassAqmCounters {
  Counter dropped_sdus;
  Counter marked_sdus;
};

struct ClassLegCounters {
  Counter buffer_sdus;  // occupancy now, all bearers of the class
  Counter buffer_bytes;
  Counter delivered_sdus;
  Counter delivered_bytes;                         // IP bytes
  std::array<Counter, kDropReasons> dropped_sdus;  // by DropReason
  Counter marked_sdus;                             // sent on with CE set
  DurationHistogram sojourn;                       // arrival to the last bit sent
  std::array<ClassAqmCounters, AqmList::kSize> aqm;
  std::array<Counter, kAmEvents> am;  // by AmEvent; bearers with an air count up to their last frames
};

}  // namespace dp
