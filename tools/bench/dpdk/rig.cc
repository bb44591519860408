#include "tools/bench/dpdk/rig.h"

#include <algorithm>
#include <utility>

#include <rte_cycles.h>
#include <rte_memory.h>
#include <rte_version.h>

#include <sys/mman.h>

#include "dataplane/dpdk/clock.h"
#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/pool.h"
#include "dataplane/dpdk/port.h"
#include "dataplane/packet/burst.h"
#include "tools/bench/dpdk/acked_io.h"
#include "tools/bench/dpdk/acked_ports.h"
#include "tools/bench/dpdk/crafted.h"
#include "tools/bench/dpdk/forward.h"
#include "tools/bench/dpdk/hostile_io.h"
#include "tools/bench/dpdk/memory_io.h"
#include "tools/bench/dpdk/sched_subject.h"
#include "tools/bench/dpdk/worker_subject.h"

namespace dp::yardstick {
namespace {

Result<std::array<dpdk::PortPlan, 2>> null_ports(std::uint32_t frame_bytes, bool huge_pages) {
  return dpdk::plan_ports({"null:" + std::to_string(frame_bytes), "null"}, huge_pages, 1);
}

// EAL's memory comes untouched without huge pages: a page fault in the middle of a measurement is no
// subject's cost. It requests transparent ones, like the worker's bearers and frames.
void touch_memory() {
#ifdef MADV_POPULATE_WRITE
  rte_memseg_walk(
      [](const rte_memseg_list*, const rte_memseg* segment, void*) {
        ::madvise(segment->addr, segment->len, MADV_HUGEPAGE);
        ::madvise(segment->addr, segment->len, MADV_POPULATE_WRITE);
        return 0;
      },
      nullptr);
#endif
}

class LiveRig final : public Rig {
 public:
  explicit LiveRig(bool huge_pages)
      : huge_pages_(huge_pages), cycles_per_ns_(dpdk::calibrate_tsc()), clock_(cycles_per_ns_) {}

  Status create_pool(const dpdk::PoolPlan& plan) {
    auto pool = dpdk::Pool::create(plan);
    if (!pool) return pool.error();
    pool_ = std::move(*pool);
    return ok();
  }

  Status use_frames(std::uint32_t frame_bytes) override {
    bearers_.reset();
    ports_ = {};
    auto plans = null_ports(frame_bytes, huge_pages_);
    if (!plans) return plans.error();
    for (Side side : kSides) {
      auto port = dpdk::Port::attach(std::move((*plans)[index(side)]));
      if (!port) return port.error();
      ports_[index(side)] = std::move(*port);
      auto& opened = *ports_[index(side)];
      if (auto started = opened.start(pool_->mempool(), pool_->data_room(), false); !started) return started;
      io_[index(side)] = opened.queue_at(0).device;
    }
    return ok();
  }

  Result<std::unique_ptr<Subject>> make(Kind kind, const Traffic& traffic) override {
    switch (kind) {
      case Kind::worker_memory:
      case Kind::worker_bursts:
      case Kind::worker_crafted:
        return of<WorkerSubject<MemoryIo>>(clock_, traffic, huge_pages_);
      case Kind::worker_acked:
        return of<WorkerSubject<AckedIo>>(clock_, traffic, huge_pages_);
      case Kind::ports_acked:
        return of<AckedPorts>(traffic);
      case Kind::hostile_many:
      case Kind::hostile_few:
        return of<WorkerSubject<HostileIo>>(clock_, traffic, huge_pages_);
      case Kind::worker_null:
      case Kind::worker_drop_tail:
      case Kind::worker_bare_ip:
        return of<WorkerSubject<NullIo>>(clock_, traffic, io_);
      case Kind::sched:
        return SchedSubject::make(traffic, Pipes::shaped, io_, bearers(traffic));
      case Kind::sched_unlimited:
        return SchedSubject::make(traffic, Pipes::unlimited, io_, bearers(traffic));
      case Kind::classified:
        return of<ClassifiedForward>(traffic, io_, bearers(traffic));
      case Kind::written:
        return of<WrittenForward>(traffic, io_);
      case Kind::bare:
        return of<BareForward>(io_);
    }
    return Error{"no such subject"};
  }

  double cycles_per_ns() const override { return cycles_per_ns_; }
  std::uint64_t mbufs_in_use() const override { return pool_->report().in_use; }
  std::string eal_line() const override { return dpdk::eal_line(); }
  std::string dpdk_version() const override { return rte_version(); }

 private:
  template <class T, class... Args>
  static std::unique_ptr<Subject> of(const Args&... args) {
    return std::make_unique<T>(args...);
  }

  // Shared by the subjects that look bearers up and do not use them.
  const BearerArray& bearers(const Traffic& traffic) {
    if (bearers_ == nullptr || bearers_->size() != traffic.bearers) {
      Traffic plain = traffic;
      plain.aqm = Traffic::kDropTail;
      bearers_ = std::make_unique<BearerArray>(plain);
    }
    return *bearers_;
  }

  bool huge_pages_;
  double cycles_per_ns_;
  dpdk::TscClock clock_;
  std::unique_ptr<dpdk::Pool> pool_;
  std::array<std::unique_ptr<dpdk::Port>, 2> ports_;
  std::array<std::uint16_t, 2> io_;
  std::unique_ptr<BearerArray> bearers_;
};

}  // namespace

Result<std::unique_ptr<Rig>> Rig::start(const RigPlan& plan) {
  auto ports = null_ports(RTE_ETHER_MIN_LEN, plan.huge_pages);
  if (!ports) return ports.error();
  auto minimal = dpdk::plan_pool(*ports, 0, 0, 1);
  if (!minimal) return minimal.error();
  const auto mbufs =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(minimal->mbufs, minimal->reserve + plan.mbufs));
  auto pool = dpdk::plan_pool(*ports, mbufs, 0, 1);
  if (!pool) return pool.error();
  dpdk::EalPlan eal;
  eal.huge_pages = plan.huge_pages;
  eal.memory_bytes = pool->bytes;
  eal.heap_bytes = plan.sched_bytes;
  eal.main_cpu = plan.cpu;
  if (auto started = dpdk::start_eal(eal); !started) return started.error();
  touch_memory();
  auto rig = std::make_unique<LiveRig>(plan.huge_pages);
  if (auto created = rig->create_pool(*pool); !created) return created.error();
  return std::unique_ptr<Rig>(std::move(rig));
}

Traffic traffic_of(Kind kind, const Traffic& cell) {
  if (kind == Kind::worker_crafted) return crafted(cell);
  Traffic traffic = cell;
  if (kind == Kind::worker_bursts) traffic.burst = kBurst;
  if (kind == Kind::worker_drop_tail) traffic.aqm = Traffic::kDropTail;
  if (kind == Kind::worker_bare_ip) traffic.encap = Encap::none;
  if (kind == Kind::hostile_many) traffic.kept = kManyKept;
  if (kind == Kind::hostile_few) traffic.kept = kFewKept;
  return traffic;
}

std::uint64_t sched_bytes_for(const Traffic& traffic) { return SchedSubject::memory_for(traffic); }
bool has_flows(const Traffic& traffic) { return BearerArray::has_flows(traffic); }
std::uint64_t bearer_bytes(const Traffic& traffic) { return BearerArray::bytes_each(traffic); }
std::uint64_t cycles() noexcept { return rte_rdtsc(); }

}  // namespace dp::yardstick
