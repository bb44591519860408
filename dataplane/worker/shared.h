// All that one worker and control share. Made before the worker starts, outlives it.
#pragma once
#include "dataplane/bearer/class_counters.h"
#include "dataplane/worker/messages.h"
#include "dataplane/worker/snapshot.h"

namespace dp {

struct WorkerShared {
  Mailbox mailbox;
  PublishedSnapshot snapshot;  // written by the worker, read by anyone
  ClassBoard classes;          // written by the worker, read by anyone
};

}  // namespace dp
