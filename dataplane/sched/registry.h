// The inter-user schedulers as configuration knows them: their names, texts and settings. sched/engines.h
// lists their implementations. A new scheduler is a file of its settings, a file of the scheduler, and its
// name in both lists.
#pragma once
#include "dataplane/base/typelist.h"
#include "dataplane/sched/max_rate_config.h"
#include "dataplane/sched/pf_config.h"
#include "dataplane/sched/pf_rp_config.h"
#include "dataplane/sched/pf_sp_config.h"
#include "dataplane/sched/round_robin_config.h"

namespace dp {

using SchedulerList =
    TypeList<ProportionalFairSpec, PfShortPrioritySpec, PfRatePrioritySpec, RoundRobinSpec, MaxRateSpec>;
using SchedulerConfig = SchedulerList::Configs;

}  // namespace dp
