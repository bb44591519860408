#include "dataplane/dpdk/live.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/random.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/eal.h"

namespace dp::dpdk {
namespace {

Result<std::uint64_t> secret_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof(seed), 0) == static_cast<ssize_t>(sizeof(seed))) return seed;
  return Error{"getrandom: found " + std::string(std::strerror(errno)) +
               ", need 8 random bytes for the bearer index, so that nobody can choose addresses against it; "
               "let the system calls of this process through (seccomp)"};
}

}  // namespace

Result<std::unique_ptr<LiveRuntime>> LiveRuntime::create(const Settings& settings) {
  DP_EXPECT(!settings.cpus.empty());
  auto ports = plan_ports(settings.devices, settings.huge_pages);
  if (!ports) return ports.error();
  auto pool = plan_pool(*ports, settings.mbufs, settings.memory_bytes);
  if (!pool) return pool.error();
  EalPlan eal{settings.huge_pages, pool->bytes, settings.cpus.front(), {}, settings.eal_args};
  for (const auto& port : *ports) {
    if (port.bus == "pci") eal.pci_devices.push_back(port.name);
  }
  if (auto started = start_eal(eal); !started) return started.error();
  std::unique_ptr<LiveRuntime> live(new LiveRuntime);
  if (auto opened = live->open_ports(std::move(*ports), *pool); !opened) return opened.error();
  if (auto started = live->start_worker(settings); !started) return started.error();
  return live;
}

Status LiveRuntime::open_ports(std::array<PortPlan, 2> plans, const PoolPlan& pool_plan) {
  auto pool = Pool::create(pool_plan);
  if (!pool) return pool.error();
  pool_ = std::move(*pool);
  if (auto parked = pool_->park(plans); !parked) return parked;
  for (Side side : kSides) {
    auto port = Port::attach(std::move(plans[index(side)]));
    if (!port) return port.error();
    ports_[index(side)] = std::move(*port);
  }
  const bool chains = ports_[0]->sends_chains() && ports_[1]->sends_chains();
  for (auto& port : ports_) {
    if (auto started = port->start(pool_->mempool(), pool_->data_room(), chains); !started) return started;
  }
  return ok();
}

Status LiveRuntime::start_worker(const Settings& settings) {
  std::array<std::uint16_t, 2> ids;
  const auto seed = secret_seed();
  if (!seed) return seed.error();
  WorkerLimits limits{.max_bearers = settings.max_bearers, .mbuf_cap = pool_->buffer_cap(), .seed = *seed};
  for (Side side : kSides) {
    const Port& port = *ports_[index(side)];
    ids[index(side)] = port.id();
    limits.ports[index(side)] = {port.max_sent(), port.sends_chains()};
  }
  auto thread =
      WorkerThread::start({settings.cpus.back(), settings.power, clock_, ids, &pool_->mempool(), limits});
  if (!thread) return thread.error();
  workers_.push_back(std::move(*thread));
  return ok();
}

PortLosses LiveRuntime::losses(Side side) const { return ports_[index(side)]->losses(); }

void LiveRuntime::detach(Side side) {
  const std::lock_guard lock(devices_);
  if (!stopped_) ports_[index(side)]->detach();
}

// The worker reads the port's number again when SetPort tells it that the device is back.
Status LiveRuntime::attach(Side side) {
  const std::lock_guard lock(devices_);
  if (stopped_) return Error{"rncd is about to end"};
  Port& port = *ports_[index(side)];
  if (auto attached = port.attach_again(); !attached) return attached;
  for (auto& thread : workers_) thread->set_port(side, port.id());
  return ok();
}

std::string LiveRuntime::environment() const { return "eal: " + eal_line(); }

void LiveRuntime::open() {
  for (auto& thread : workers_) thread->open();
}

bool LiveRuntime::running() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const auto& thread) { return thread->running(); });
}

void LiveRuntime::stop() {
  for (auto& thread : workers_) thread->stop();
  const std::lock_guard lock(devices_);
  stopped_ = true;
  for (auto& port : ports_) {
    if (port != nullptr) port->close();
  }
}

}  // namespace dp::dpdk
