// The workers' counts of frames, added up; each worker's part is of one moment.
#pragma once
#include "dataplane/packet/account.h"
#include "dataplane/worker/runtime.h"

namespace control {

dp::FrameAccount sum_accounts(dp::Runtime& runtime);

}  // namespace control
