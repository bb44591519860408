// "af_xdp:IF": an AF_XDP socket on each channel of a kernel interface, with the driver's own XDP program.
// Nothing outside this file knows how it is brought up. Each socket is a device of its own (start_queue=N):
// the driver would have several in one device only where the interface has combined channels, which veth does
// not.
#include "dataplane/dpdk/port_af_xdp.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <linux/if_xdp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/dpdk/port.h"
#include "dataplane/dpdk/port_af_xdp_descriptors.h"
#include "dataplane/dpdk/port_af_xdp_rings.h"
#include "dataplane/dpdk/sockets.h"

namespace dp::dpdk {
namespace {

// The driver's compiled-in ring size.
constexpr std::uint16_t kRing = 2048;
constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;

// The UMEM is what the driver registers of the pool: from the page its first memory chunk begins in,
// populated size times element size. The kernel refuses a descriptor beyond it, after the driver has accepted
// the frame. With zero copy it refuses also those that cross into a page which does not follow in physical
// memory.
bool loses(const rte_mempool& pool, const rte_mbuf& mbuf) {
  const rte_mempool_memhdr* chunk = STAILQ_FIRST(&pool.mem_list);
  const auto page = static_cast<std::uintptr_t>(getpagesize());
  const auto begin = reinterpret_cast<std::uintptr_t>(chunk->addr);
  const std::uintptr_t element = pool.header_size + pool.elt_size + pool.trailer_size;
  const std::uintptr_t end = begin + pool.populated_size * element;
  const auto first = reinterpret_cast<std::uintptr_t>(&mbuf) - pool.header_size;
  if (first < begin / page * page || first + element > end) return true;
  return rte_eal_has_hugepages() != 0 && first / kHugePage != (first + element - 1) / kHugePage;
}

// What the driver does not tell: whether the kernel copies, which program feeds the socket, what its rings
// hold when the interface has died.
class XdpExtra : public PortExtra {
 public:
  explicit XdpExtra(const std::string& interface)
      : before_(xdp_descriptors()), interface_(interface_index(interface)) {}

  // The other port may have opened its own since.
  void starting() override {
    before_ = xdp_descriptors();
    sockets_ = sockets_of(AF_XDP);
  }

  void started() override {
    bound_ = new_sockets(AF_XDP, sockets_);
    ours_ = without(xdp_descriptors(), before_);
    program_ = xdp_program_on(interface_);
  }
  void stopping() override { others_ = ForeignProgram(interface_, program_); }
  void abandon(rte_mempool& pool) override {
    stopping();
    for (const int fd : bound_) held_.push_back(read_xdp_rings(fd, zero_copy(fd)));
    pool_ = &pool;
  }
  // The driver takes whatever program it finds off the interface, forgets the mbufs of its rings, and may
  // leave descriptors open.
  void closed() override {
    const auto forgotten = without(xdp_descriptors(), before_);
    for (const XdpDescriptor& one : bound_.empty() ? forgotten : ours_) {
      if (std::find(forgotten.begin(), forgotten.end(), one) != forgotten.end()) close(one.fd);
    }
    bound_.clear();
    others_.put_back();
    if (pool_ == nullptr) return;
    for (const XdpHeld& held : held_) release_frames(*pool_, held.frames);
  }
  void add_losses(PortLosses& losses) override {
    for (const XdpHeld& held : held_) {
      losses.missed += held.unread;
      losses.transmit_errors += held.unsent;
    }
  }
  std::uint32_t xdp_program() override { return program_; }
  std::string describe() override {
    if (bound_.empty()) return {};
    return zero_copy(bound_.front()) ? "zero copy" : "copy mode";
  }

 private:
  static bool zero_copy(int fd) {
    xdp_options options{};
    socklen_t size = sizeof(options);
    return getsockopt(fd, SOL_XDP, XDP_OPTIONS, &options, &size) == 0 &&
           (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
  }

  std::vector<XdpDescriptor> before_, ours_;
  std::vector<int> sockets_;  // of this process, before ours
  std::vector<int> bound_;    // ours, one a queue
  unsigned interface_;
  std::uint32_t program_ = 0;
  rte_mempool* pool_ = nullptr;
  std::vector<XdpHeld> held_;  // by each of them
  ForeignProgram others_;
};

std::unique_ptr<PortExtra> watch_program(const PortPlan& plan) {
  return std::make_unique<XdpExtra>(plan.interface);
}

// Who has which queue was settled at the start.
Status check_channels(const PortPlan& plan) {
  const unsigned channels = interface_channels(plan.interface);
  if (channels == plan.devices.size()) return ok();
  const std::string wanted = std::to_string(plan.devices.size());
  return Error{"port af_xdp:" + plan.interface + ": the interface has come back with " +
                   std::to_string(channels) + " channels, it had " + wanted + "; run 'ethtool -L " +
                   plan.interface + " combined " + wanted + "' (veth: rx " + wanted + " tx " + wanted +
                   "), or restart rncd",
               4};
}

// A failing attempt costs the driver's first mbufs, so that none is made while the queue of the same
// interface may still be the former socket's. One made anew nobody had.
Status make_way(const PortPlan& plan, unsigned last_index) {
  const std::string& interface = plan.interface;
  if (auto same = check_channels(plan); !same) return same;
  if (auto clear = remove_xdp_leftover(interface); !clear) return clear;
  if (interface_index(interface) != last_index) return ok();
  if (wait_for_xdp_queues(interface)) return ok();
  return Error{"port af_xdp:" + interface +
                   ": another AF_XDP socket holds a queue of the interface; end the " +
                   "program that it belongs to",
               4};
}

Status check_support(const std::string& configured) {
  const int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (fd >= 0) {
    close(fd);
    return ok();
  }
  if (errno == EPERM || errno == EACCES) {
    return Error{"port " + configured +
                     ": AF_XDP sockets are not permitted; run as root, or with CAP_NET_RAW, " +
                     "CAP_NET_ADMIN, CAP_BPF and CAP_IPC_LOCK",
                 5};
  }
  return Error{"port " + configured + ": the kernel has no AF_XDP sockets (" + std::strerror(errno) +
                   "); use a kernel with CONFIG_XDP_SOCKETS, or af_packet:",
               4};
}

}  // namespace

Result<PortPlan> plan_af_xdp(const PlanInput& input) {
  const std::string& interface = input.device.argument;
  if (interface_index(interface) == 0) {
    return Error{"port " + input.configured + ": there is no interface '" + interface +
                     "' in this network namespace; 'ip link' lists them",
                 4};
  }
  if (auto supported = check_support(input.configured); !supported) return supported.error();
  if (auto free = check_xdp_program(interface); !free) return free.error();
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  plan.queues = std::min(input.queues, interface_channels(interface));
  // Zero copy needs frames that do not cross pages, which small pages cannot promise.
  const std::string copy = input.huge_pages ? "" : ",force_copy=1";
  for (unsigned queue = 0; queue < plan.queues; ++queue) {
    const std::string number = std::to_string(queue);
    plan.devices.push_back({"net_af_xdp" + std::to_string(input.number) + "_" + number,
                            "iface=" + interface + ",start_queue=" + number + ",queue_count=1" + copy});
  }
  plan.interface = interface;
  plan.shared = true;
  plan.frame_limit = max_frame_of(input.configured);
  plan.frame = std::min(input.frame, plan.frame_limit);
  plan.room_overhead = 128 + 256;  // mbuf headroom and XDP_PACKET_HEADROOM
  plan.rx_ring = kRing;
  plan.tx_ring = kRing;
  plan.held = plan.queues * 3u * kRing;  // fill and receive, transmit, completion
  plan.loses = loses;
  plan.prepare = remove_xdp_leftover;
  plan.prepare_again = make_way;
  plan.watch = watch_program;
  return plan;
}

}  // namespace dp::dpdk
