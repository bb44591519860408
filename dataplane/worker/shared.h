// The data shared by one worker and control. Created before the worker starts, outlives it.
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
