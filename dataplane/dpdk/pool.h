// The memory of all frames: one mbuf pool, an Sdu in front of each frame, in one piece of virtual memory. It
// limits the memory that bearer buffers may hold, so that receive never runs out of mbufs. Owned by the
// runtime. Requires: it outlives ports and worker.
// Tests: tests/system/dpdk_pool_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/base/result.h"
#include "dataplane/dpdk/frame_memory.h"
#include "dataplane/dpdk/port.h"
#include "dataplane/worker/runtime.h"

struct rte_mbuf;
struct rte_mempool;

namespace dp::dpdk {

struct PoolPlan {
  std::uint32_t mbufs = 0;
  std::uint32_t data_room = 0;  // bytes of an mbuf for headroom and frame
  std::uint64_t reserve = 0;    // mbufs that rings, caches, bursts and egress may hold at once
  std::uint64_t bytes = 0;      // memory of the mbufs
  bool in_one_piece = true;     // false: real devices need what the hardware addresses to be contiguous
};

// `mbufs` of 0: as many as `memory_bytes` holds; both 0: the minimum and a small buffer beside it.
Result<PoolPlan> plan_pool(const std::array<PortPlan, 2>& ports, std::uint32_t mbufs,
                           std::uint64_t memory_bytes, unsigned workers);

class Pool {
 public:
  static Result<std::unique_ptr<Pool>> create(const PoolPlan& plan);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  rte_mempool& mempool() const { return *mempool_; }
  std::uint32_t data_room() const { return plan_.data_room; }

  // Withholds the mbufs that a port's driver would lose. Requires: nothing was taken from the pool before.
  Status park(const std::array<PortPlan, 2>& ports);

  // The number of mbufs that all bearer buffers may hold together.
  std::uint64_t buffer_cap() const;
  PoolReport report() const;

 private:
  explicit Pool(const PoolPlan& plan) : plan_(plan) {}
  Status populate(int numa_node);

  PoolPlan plan_;
  FrameMemory memory_;
  rte_mempool* mempool_ = nullptr;
  std::vector<rte_mbuf*> parked_;
};

}  // namespace dp::dpdk
