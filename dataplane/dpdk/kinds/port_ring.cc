// "ring:NAME": exchanges frames with another part of this process, a test or a benchmark: mbufs of the port's
// pool arrive by the ring "NAME-in-Q" of each queue Q and leave by "NAME-out-Q" (rte_ring_lookup). Each ring
// has one producer and one consumer.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "dataplane/dpdk/port.h"

namespace dp::dpdk {
namespace {

constexpr unsigned kRingSlots = 1024;
// RTE_PMD_RING_MAX_RX_RINGS of the driver.
constexpr unsigned kMostRings = 16;
// The length of NAME at most, so that both EAL's device name and the names of the rings fit.
constexpr std::size_t kLongestName = 16;

class RingEnds : public PortExtra {
 public:
  explicit RingEnds(const PortPlan& plan)
      : name_(plan.configured.substr(plan.configured.find(':') + 1)), queues_(plan.queues) {}
  ~RingEnds() override {
    for (auto& way : rings_) {
      for (rte_ring* ring : way) rte_ring_free(ring);
    }
  }

  Status attaching() override {
    const std::array<const char*, 2> ways{"-in-", "-out-"};
    for (std::size_t way = 0; way < 2; ++way) {
      for (unsigned queue = 0; queue < queues_; ++queue) {
        const std::string name = name_ + ways[way] + std::to_string(queue);
        rte_ring* const ring =
            rte_ring_create(name.c_str(), kRingSlots, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
        if (ring == nullptr) return failed("making ring " + name);
        rings_[way].push_back(ring);
      }
    }
    if (rte_eth_from_rings(name_.c_str(), rings_[0].data(), queues_, rings_[1].data(), queues_, 0) < 0)
      return failed("making the device");
    return ok();
  }

  // Mbufs that are left in the rings go back to the pool.
  void closed() override {
    for (auto& way : rings_) {
      for (rte_ring* ring : way) {
        void* mbuf = nullptr;
        while (rte_ring_dequeue(ring, &mbuf) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(mbuf));
      }
    }
  }

 private:
  Status failed(const std::string& step) const {
    return Error{"port ring:" + name_ + ": " + step + " failed: " + rte_strerror(rte_errno), 4};
  }

  const std::string name_;
  const unsigned queues_;
  std::array<std::vector<rte_ring*>, 2> rings_;
};

std::unique_ptr<PortExtra> make_ends(const PortPlan& plan) { return std::make_unique<RingEnds>(plan); }

}  // namespace

Result<PortPlan> plan_ring(const PlanInput& input) {
  const std::string& name = input.device.argument;
  if (name.empty() || name.size() > kLongestName || name.find_first_of(",/ ") != std::string::npos) {
    return Error{"port " + input.configured + ": '" + name + "' is no name for rings; expected 1 to " +
                     std::to_string(kLongestName) + " characters without comma, slash and space",
                 4};
  }
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  plan.queues = std::min(input.queues, kMostRings);
  plan.devices = {{"net_ring_" + name, ""}};
  plan.frame = input.frame;
  plan.frame_limit = max_frame_of(input.configured);
  plan.room_overhead = 128;
  plan.held = plan.queues * 2 * kRingSlots;
  plan.sends_chains = true;
  plan.watch = make_ends;
  return plan;
}

}  // namespace dp::dpdk
