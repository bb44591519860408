// The plan that follows from the settings before anything is taken: the ports, the pool and EAL's arguments.
#pragma once
#include <array>

#include "dataplane/base/result.h"
#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/pool.h"
#include "dataplane/dpdk/port.h"
#include "dataplane/dpdk/start.h"

namespace dp::dpdk {

struct StartPlan {
  std::array<PortPlan, 2> ports;
  PoolPlan pool;
  EalPlan eal;
};

// Reads the state of the host and changes nothing. Requires: there is a CPU in the settings.
Result<StartPlan> plan_start(const Settings& settings);

}  // namespace dp::dpdk
