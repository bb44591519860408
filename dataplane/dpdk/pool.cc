#include "dataplane/dpdk/pool.h"

#include <algorithm>
#include <atomic>
#include <string>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/huge_pages.h"
#include "dataplane/mesh/peers.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/sdu.h"

namespace dp::dpdk {
namespace {

constexpr std::uint32_t kUsualRoom = RTE_MBUF_DEFAULT_BUF_SIZE;  // 2048 bytes and the headroom
constexpr std::uint32_t kCache = 256;
// A cache holds up to one and a half times its size; each worker and the thread that starts them have one.
constexpr std::uint64_t kCacheMost = kCache + kCache / 2;
// Bursts of both ports that are received and not yet enqueued, and mbufs that the drivers take at once to
// refill.
constexpr std::uint64_t kBursts = 4 * kBurst;
constexpr std::uint32_t kFewestBuffered = 1024;
constexpr std::uint32_t kModestlyBuffered = 16384;

std::uint32_t element_bytes(std::uint32_t data_room) {
  const std::uint32_t size = sizeof(rte_mbuf) + kSduBytes + data_room;
  return rte_mempool_calc_obj_size(size, 0, nullptr);
}

// Chunk and object alignment at both ends.
constexpr std::uint64_t kSlack = 2 * RTE_MEMPOOL_ALIGN + 64;

}  // namespace

Result<PoolPlan> plan_pool(const std::array<PortPlan, 2>& ports, std::uint32_t mbufs,
                           std::uint64_t memory_bytes, unsigned workers) {
  PoolPlan plan;
  plan.data_room = kUsualRoom;
  plan.reserve = workers * (2 * Egress::kCap + kBursts) + (workers + 1) * kCacheMost;
  if (workers > 1) plan.reserve += workers * Peers::most_frames(workers);
  for (const auto& port : ports) {
    plan.data_room = std::max(plan.data_room, (port.frame + port.room_overhead + 63) / 64 * 64);
    plan.reserve += port.held;
    if (port.bus == "pci") plan.in_one_piece = false;
  }
  const std::uint64_t element = element_bytes(plan.data_room);
  const std::uint64_t needed = plan.reserve + kFewestBuffered;
  std::uint64_t wanted = mbufs;
  if (wanted == 0) {
    wanted = memory_bytes == 0 ? plan.reserve + kModestlyBuffered
                               : (memory_bytes - std::min(memory_bytes, kSlack)) / element;
  }
  wanted = std::min<std::uint64_t>(wanted, 1u << 30);
  if (wanted < needed) {
    return Error{"memory for frames: found room for " + std::to_string(wanted) + " mbufs (" +
                     mib(wanted * element) + "), these ports and a smallest buffer need " +
                     std::to_string(needed) + "; set dataplane.memory to " + mib(needed * element + kSlack) +
                     " or more",
                 4};
  }
  plan.mbufs = static_cast<std::uint32_t>(wanted);
  plan.bytes = wanted * element + kSlack;
  return plan;
}

Result<std::unique_ptr<Pool>> Pool::create(const PoolPlan& plan) {
  const int numa_node = static_cast<int>(rte_socket_id());
  static std::atomic<unsigned> count{0};
  std::unique_ptr<Pool> pool(new Pool(plan));
  // Without the flag the pool leaves a gap at every end of a page, and with small pages half the memory is
  // gaps.
  const unsigned flags = plan.in_one_piece ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0;
  const std::string name = "frames" + std::to_string(count++);
  const std::uint32_t size = sizeof(rte_mbuf) + kSduBytes + plan.data_room;
  pool->mempool_ = rte_mempool_create_empty(name.c_str(), plan.mbufs, size, kCache,
                                            sizeof(rte_pktmbuf_pool_private), numa_node, flags);
  if (pool->mempool_ == nullptr) {
    return Error{
        "memory for frames: no room for the pool's own tables: " + std::string(rte_strerror(rte_errno)), 4};
  }
  rte_pktmbuf_pool_private settings{};
  settings.mbuf_data_room_size = static_cast<std::uint16_t>(plan.data_room);
  settings.mbuf_priv_size = kSduBytes;
  rte_mempool_set_ops_byname(pool->mempool_, rte_mbuf_best_mempool_ops(), nullptr);
  rte_pktmbuf_pool_init(pool->mempool_, &settings);
  if (auto done = pool->populate(numa_node); !done) return done.error();
  rte_mempool_obj_iter(pool->mempool_, rte_pktmbuf_init, nullptr);
  return pool;
}

Status Pool::populate(int numa_node) {
  if (!plan_.in_one_piece) {
    if (rte_mempool_populate_default(mempool_) == static_cast<int>(plan_.mbufs)) return ok();
    return Error{"memory for frames: " + mib(plan_.bytes) + " on NUMA node " + std::to_string(numa_node) +
                     " are needed, and EAL does not have them; raise /proc/sys/vm/nr_hugepages or lower "
                     "dataplane.memory",
                 4};
  }
  if (auto done = memory_.reserve(std::string(mempool_->name) + "_memory", plan_.bytes, numa_node); !done)
    return done;
  const int added =
      rte_mempool_populate_iova(mempool_, memory_.data(), memory_.iova(), memory_.size(), nullptr, nullptr);
  if (added == static_cast<int>(plan_.mbufs)) return ok();
  return Error{"memory for frames: found room for " + std::to_string(added) + " mbufs in " +
                   mib(memory_.size()) + ", expected " + std::to_string(plan_.mbufs),
               4};
}

Pool::~Pool() { rte_mempool_free(mempool_); }

Status Pool::park(const std::array<PortPlan, 2>& ports) {
  DP_EXPECT(parked_.empty());
  std::vector<rte_mbuf*> good(plan_.mbufs);
  auto** const objects = reinterpret_cast<void**>(good.data());
  if (rte_mempool_generic_get(mempool_, objects, plan_.mbufs, nullptr) != 0) {
    return Error{"memory for frames: the pool gave fewer mbufs than it was made with", 1};
  }
  const auto lost = std::partition(good.begin(), good.end(), [&](const rte_mbuf* mbuf) {
    return std::none_of(ports.begin(), ports.end(), [&](const PortPlan& port) {
      return port.loses != nullptr && port.loses(*mempool_, *mbuf);
    });
  });
  parked_.assign(lost, good.end());
  good.erase(lost, good.end());
  rte_mempool_generic_put(mempool_, objects, static_cast<unsigned>(good.size()), nullptr);
  if (good.size() >= plan_.reserve + kFewestBuffered) return ok();
  return Error{"memory for frames: of " + std::to_string(plan_.mbufs) + " mbufs the driver can send only " +
                   std::to_string(good.size()) + ", " + std::to_string(plan_.reserve + kFewestBuffered) +
                   " are needed; set dataplane.memory higher",
               4};
}

std::uint64_t Pool::buffer_cap() const {
  DP_EXPECT(plan_.mbufs >= parked_.size() + plan_.reserve);
  return plan_.mbufs - parked_.size() - plan_.reserve;
}

PoolReport Pool::report() const {
  return {plan_.mbufs - parked_.size(), rte_mempool_in_use_count(mempool_) - parked_.size(), buffer_cap(),
          parked_.size()};
}

}  // namespace dp::dpdk
