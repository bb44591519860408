// The ACK stages as a chain runs them, in the order of ack/registry.h.
// Tests: tests/contract/ack_contract_test.cc
#pragma once
#include "dataplane/ack/registry.h"
#include "dataplane/ack/stage.h"
#include "dataplane/ack/stages/ack_rate.h"
#include "dataplane/ack/stages/ack_regulator.h"
#include "dataplane/ack/stages/fda.h"
#include "dataplane/ack/stages/new_snoop.h"
#include "dataplane/ack/stages/snoop.h"
#include "dataplane/ack/stages/window_regulator.h"

namespace dp {

using AckEngines = TypeList<AckRate, WindowRegulator, AckRegulator, Snoop, NewSnoop, Fda>;
static_assert(kRuns<AckEngines, AckList>);

template <AckStage... Ss>
constexpr bool all_are_stages(TypeList<Ss...>) {
  return true;
}
static_assert(all_are_stages(AckEngines{}));

}  // namespace dp
