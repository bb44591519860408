// The log entries of a start and an end.
#pragma once
#include "control/plane/data_plane.h"
#include "control/startup.h"
#include "dataplane/packet/account.h"

namespace control {

// Requires: the runtime is open.
void tell_started(const dp::Runtime& runtime, const DataPlane& plane, const Ready& ready);

// True if all is well: every frame is accounted for, and all queued SDUs are sent. Requires: the workers have
// stopped.
bool tell_stopped(const dp::FrameAccount& account, bool drained);

}  // namespace control
