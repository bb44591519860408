#include "dataplane/dpdk/live.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/random.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/start_plan.h"

namespace dp::dpdk {
namespace {

// Longer than the kernel takes to give a port the frames of one softirq.
constexpr std::chrono::milliseconds kInFlight{10};

Result<std::uint64_t> secret_seed() {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof(seed), 0) == static_cast<ssize_t>(sizeof(seed))) return seed;
  return Error{"getrandom: found " + std::string(std::strerror(errno)) +
               ", need 8 random bytes for the bearer index, so that nobody can choose addresses against it; "
               "let the system calls of this process through (seccomp)"};
}

}  // namespace

Result<std::unique_ptr<LiveRuntime>> LiveRuntime::create(const Settings& settings) {
  const ClockReading began = read_clocks();  // EAL takes long enough to calibrate one clock against the other
  auto plan = plan_start(settings);
  if (!plan) return plan.error();
  if (auto started = start_eal(plan->eal); !started) return started.error();
  std::unique_ptr<LiveRuntime> live(new LiveRuntime(began));
  if (auto opened = live->open_ports(std::move(plan->ports), plan->pool, settings.workers); !opened)
    return opened.error();
  if (auto started = live->start_workers(settings); !started) return started.error();
  return live;
}

Status LiveRuntime::open_ports(std::array<PortPlan, 2> plans, const PoolPlan& pool_plan, unsigned workers) {
  auto pool = Pool::create(pool_plan);
  if (!pool) return pool.error();
  pool_ = std::move(*pool);
  if (auto parked = pool_->park(plans); !parked) return parked;
  wire_ = plans[0].wire != nullptr ? plans[0].wire : plans[1].wire;
  for (Side side : kSides) {
    auto port = Port::attach(std::move(plans[index(side)]));
    if (!port) return port.error();
    ports_[index(side)] = std::move(*port);
  }
  const bool chains = ports_[0]->sends_chains() && ports_[1]->sends_chains();
  std::array<unsigned, 2> queues;
  for (Side side : kSides) {
    Port& port = *ports_[index(side)];
    queues[index(side)] = port.queues();
    auto started = port.start(pool_->mempool(), pool_->data_room(), chains);
    if (!started) return started;
  }
  if (workers > 1) mesh_.emplace(workers, queues);
  return ok();
}

Status LiveRuntime::start_workers(const Settings& settings) {
  const auto seed = secret_seed();
  if (!seed) return seed.error();
  WorkerLimits limits{.max_bearers = settings.max_bearers,
                      .mbuf_cap = pool_->buffer_cap() / settings.workers,
                      .publish_every = kPublishEvery,
                      .seed = *seed};
  limits.proxy_cap = static_cast<std::uint64_t>(static_cast<double>(limits.mbuf_cap) * settings.proxy_store);
  for (Side side : kSides) {
    limits.ports[index(side)] = {ports_[index(side)]->max_sent(), ports_[index(side)]->sends_chains()};
  }
  if (wire_ != nullptr) {
    const bool apart = std::min(ports_[0]->queues(), ports_[1]->queues()) >= settings.workers;
    if (auto expected = wire_->expect(settings.workers, apart); !expected) return expected;
  }
  for (unsigned number = 0; number < settings.workers; ++number) {
    if (auto started = start_worker(number, settings, limits); !started) return started;
  }
  return ok();
}

Status LiveRuntime::start_worker(unsigned number, const Settings& settings, const WorkerLimits& limits) {
  // The first CPU is control's; a worker shares it if there are not enough CPUs.
  WorkerThreadPlan plan{.number = number,
                        .cpu = settings.cpus[(number + 1) % settings.cpus.size()],
                        .power = settings.power,
                        .clock = clock_,
                        .pool = &pool_->mempool(),
                        .limits = limits};
  for (Side side : kSides) plan.queues[index(side)] = queue_for(side, number);
  if (mesh_) plan.limits.peers = peers_.emplace_back(std::make_unique<Peers>(*mesh_, number)).get();
  if (wire_ != nullptr) plan.heartbeat = wire_->heartbeat(number);
  auto thread = WorkerThread::start(plan);
  if (!thread) return thread.error();
  workers_.push_back(std::move(*thread));
  return ok();
}

// A worker without a queue of a port does not touch that port.
QueueHandle LiveRuntime::queue_for(Side side, unsigned worker) const {
  return ports_[index(side)]->queue_at(mesh_ ? mesh_->queue_of(side, worker).value_or(0) : 0);
}

PortLosses LiveRuntime::losses(Side side) const { return ports_[index(side)]->losses(); }

void LiveRuntime::detach(Side side) {
  const std::lock_guard lock(devices_);
  if (!stopped_) ports_[index(side)]->detach();
}

// The worker reads the numbers of its queue again when SetPort notifies it that the device is back.
Status LiveRuntime::attach(Side side) {
  const std::lock_guard lock(devices_);
  if (stopped_) return Error{"rncd is about to end"};
  Port& port = *ports_[index(side)];
  if (auto attached = port.attach_again(); !attached) return attached;
  for (unsigned number = 0; number < workers_.size(); ++number) {
    workers_[number]->set_queue(side, queue_for(side, number));
  }
  return ok();
}

std::string LiveRuntime::environment() const { return "eal: " + eal_line(); }

// The workers' heartbeats have begun, so that the XDP program hands frames to them as soon as the ports are
// fed.
Status LiveRuntime::open() {
  for (auto& thread : workers_) thread->open();
  const std::lock_guard lock(devices_);
  shut_ = false;
  read_since_.reset();
  Status opened = ok();
  for (auto& port : ports_) {
    if (!port->binding().attached) continue;
    if (auto fed = port->feed(); !fed) opened = std::move(fed);
  }
  if (wire_ != nullptr) wire_->keep();
  return opened;
}

// Frames that came before are received and sent like any other. The kernel may still be delivering a frame to
// a port while it is starved: workers go on receiving until nothing was unread for kInFlight. Later frames
// are left in the port without waiting for them.
bool LiveRuntime::shut() {
  const std::lock_guard lock(devices_);
  if (shut_) return true;
  for (auto& port : ports_) port->starve();
  const auto now = std::chrono::steady_clock::now();
  if (!std::all_of(ports_.begin(), ports_.end(), [](const auto& port) { return port->read_all(); })) {
    read_since_.reset();
    return false;
  }
  if (!read_since_) read_since_ = now;
  if (now - *read_since_ < kInFlight) return false;
  for (auto& thread : workers_) thread->shut();
  shut_ = true;
  return true;
}

std::optional<WireReport> LiveRuntime::wire() const {
  if (wire_ == nullptr) return std::nullopt;
  const auto report = wire_->report();
  return report ? std::optional(*report) : std::nullopt;
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
  if (wire_ != nullptr) wire_->let_go();
}

}  // namespace dp::dpdk
