// The ACK stages as configuration and control know them: their names, texts and settings. ack/engines.h lists
// their implementations. A new stage is a file of its settings, a file of the stage, and its name in both
// lists: configuration, help, metrics labels, reference table and contract tests follow.
#pragma once
#include "dataplane/ack/class_ack_counters.h"
#include "dataplane/ack/stages/ack_rate_config.h"
#include "dataplane/ack/stages/ack_regulator_config.h"
#include "dataplane/ack/stages/fda_config.h"
#include "dataplane/ack/stages/new_snoop_config.h"
#include "dataplane/ack/stages/snoop_config.h"
#include "dataplane/ack/stages/window_regulator_config.h"
#include "dataplane/base/typelist.h"

namespace dp {

using AckList =
    TypeList<AckRateSpec, WindowRegulatorSpec, AckRegulatorSpec, SnoopSpec, NewSnoopSpec, FdaSpec>;
using AckConfig = AckList::Configs;
static_assert(AckList::kSize <= kMaxAckKinds);

}  // namespace dp
