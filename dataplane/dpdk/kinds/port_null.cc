// "null" receives nothing and takes whatever is sent; "null:SIZE" receives frames of SIZE bytes without end.
#include <cstdlib>

#include "dataplane/dpdk/port.h"

namespace dp::dpdk {

Result<PortPlan> plan_null(const PlanInput& input) {
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  const std::string name = "net_null" + std::to_string(input.number);
  plan.frame_limit = max_frame_of(input.configured);
  plan.room_overhead = 128;
  plan.sends_chains = true;
  plan.queues = input.queues;
  plan.frame = input.frame;
  const std::string& size = input.device.argument;
  if (input.configured == "null") {
    plan.devices = {{name, "no-rx=1"}};
    return plan;
  }
  const auto bytes = std::strtoul(size.c_str(), nullptr, 10);
  if (size.empty() || size.find_first_not_of("0123456789") != std::string::npos || bytes < 14 ||
      bytes > plan.frame_limit) {
    return Error{"port " + input.configured + ": expected null, or null:SIZE with 14 to " +
                     std::to_string(plan.frame_limit) + " bytes a frame",
                 4};
  }
  plan.frame = std::max(plan.frame, static_cast<std::uint32_t>(bytes));
  plan.devices = {{name, "size=" + size + ",copy=0"}};
  return plan;
}

}  // namespace dp::dpdk
