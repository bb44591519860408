// The ACK stages. A new one is a file beside this and its name in the list: configuration, help, metrics
// labels, reference table and contract tests follow from it.
#pragma once
#include "dataplane/ack/ack_rate.h"
#include "dataplane/ack/ack_regulator.h"
#include "dataplane/ack/stage.h"
#include "dataplane/ack/stats.h"
#include "dataplane/ack/window_regulator.h"
#include "dataplane/base/typelist.h"

namespace dp {

using AckList = TypeList<AckRate, WindowRegulator, AckRegulator>;

using AckConfig = AckList::Configs;

template <AckStage... Ss>
constexpr bool all_are_stages(TypeList<Ss...>) {
  return true;
}
static_assert(all_are_stages(AckList{}));
static_assert(AckList::kSize <= kMaxAckKinds);

}  // namespace dp
