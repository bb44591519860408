// "tap:NAME": a kernel interface of that name, made on start and removed on stop.
#include <algorithm>

#include <net/if.h>

#include "dataplane/dpdk/port.h"

namespace dp::dpdk {

Result<PortPlan> plan_tap(const PlanInput& input) {
  const std::string& name = input.device.argument;
  if (name.empty() || name.size() >= IFNAMSIZ || name.find_first_of(",/ ") != std::string::npos) {
    return Error{"port " + input.configured + ": '" + name + "' is no interface name; expected 1 to " +
                     std::to_string(IFNAMSIZ - 1) + " characters without comma, slash and space",
                 4};
  }
  if (interface_index(name) != 0) {
    return Error{"port " + input.configured + ": an interface " + name +
                     " exists already; choose another name or remove it with 'ip link del " + name + "'",
                 4};
  }
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  plan.name = "net_tap" + std::to_string(input.number);
  plan.arguments = "iface=" + name;
  plan.interface = name;
  plan.frame = input.frame;
  plan.frame_limit = std::min(input.frame, max_frame_of(input.configured));
  plan.room_overhead = 128;
  plan.rx_ring = 16;  // mbufs that one long frame may fill
  plan.held = 32;
  plan.sets_mtu = true;
  plan.makes_interface = true;
  return plan;
}

}  // namespace dp::dpdk
