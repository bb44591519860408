// The implementations of the inter-user schedulers, in the order of sched/registry.h.
// Tests: tests/unit/sched/schedulers_test.cc
#pragma once
#include "dataplane/sched/max_rate.h"
#include "dataplane/sched/pf.h"
#include "dataplane/sched/pf_rp.h"
#include "dataplane/sched/pf_sp.h"
#include "dataplane/sched/registry.h"
#include "dataplane/sched/round_robin.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

using SchedulerEngines = TypeList<ProportionalFair, PfShortPriority, PfRatePriority, RoundRobin, MaxRate>;
using SchedulerSlot = SchedulerEngines::Variant;
static_assert(kRuns<SchedulerEngines, SchedulerList>);

template <SlotScheduler... Ss>
constexpr bool all_are_schedulers(TypeList<Ss...>) {
  return true;
}
static_assert(all_are_schedulers(SchedulerEngines{}));

}  // namespace dp
