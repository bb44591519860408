// What one worker counts for one class in one direction. Written by the worker, read by the metrics at any
// time.
#pragma once
#include "dataplane/base/counter.h"
#include "dataplane/base/histogram.h"

namespace dp {

struct LegStats {
  Counter buffer_sdus;  // occupancy now, all bearers of the class
  Counter buffer_bytes;
  Counter delivered_sdus;
  Counter delivered_bytes;  // IP bytes
  Counter dropped_sdus;
  DurationHistogram sojourn;  // arrival to the last bit sent
};

}  // namespace dp
