#include "dataplane/dpdk/start_plan.h"

#include "dataplane/base/expect.h"

namespace dp::dpdk {

Result<StartPlan> plan_start(const Settings& settings) {
  DP_EXPECT(!settings.cpus.empty());
  const std::size_t most = settings.workers + std::size_t{1};
  if (settings.cpus.size() > most) {
    return Error{"dataplane.cpus: found " + std::to_string(settings.cpus.size()) +
                     " CPUs, expected at most " + std::to_string(most) +
                     ": control's, then one for each of dataplane.workers",
                 4};
  }
  auto ports = plan_ports(settings.devices, settings.huge_pages, settings.workers, settings.wire);
  if (!ports) return ports.error();
  for (PortPlan& port : *ports) port.tunnels = settings.tunnels;
  auto pool = plan_pool(*ports, settings.mbufs, settings.memory_bytes, settings.workers);
  if (!pool) return pool.error();
  EalPlan eal{settings.huge_pages, pool->bytes, settings.cpus.front(), {}, settings.eal_args, 0};
  for (const auto& port : *ports) {
    if (port.bus == "pci") eal.pci_devices.push_back(port.devices.front().name);
  }
  return StartPlan{std::move(*ports), *pool, std::move(eal)};
}

}  // namespace dp::dpdk
