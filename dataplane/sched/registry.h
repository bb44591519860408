// The inter-user schedulers. A new one is a file beside this and its name in the list.
#pragma once
#include "dataplane/base/typelist.h"
#include "dataplane/sched/pf.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

using SchedulerList = TypeList<ProportionalFair>;
using SchedulerSlot = SchedulerList::Variant;
using SchedulerConfig = SchedulerList::Configs;

template <SlotScheduler... Ss>
constexpr bool all_are_schedulers(TypeList<Ss...>) {
  return true;
}
static_assert(all_are_schedulers(SchedulerList{}));

}  // namespace dp
