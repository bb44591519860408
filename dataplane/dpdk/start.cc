#include "dataplane/dpdk/start.h"

#include <sched.h>

#include "dataplane/dpdk/live.h"

namespace dp::dpdk {
namespace {

// The first CPUs that this process may use, at most `most`.
std::vector<unsigned> usable_cpus(std::size_t most) {
  std::vector<unsigned> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && cpus.size() < most; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

Result<std::unique_ptr<Runtime>> start(const Settings& wanted) {
  Settings settings = wanted;
  if (settings.cpus.empty()) settings.cpus = usable_cpus(settings.workers + std::size_t{1});
  auto live = LiveRuntime::create(settings);
  if (!live) return live.error();
  return std::unique_ptr<Runtime>(std::move(*live));
}

}  // namespace dp::dpdk
