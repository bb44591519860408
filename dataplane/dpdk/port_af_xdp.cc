// "af_xdp:IF": an AF_XDP socket on queue 0 of a kernel interface, with the driver's own XDP program. Nothing
// outside this file knows how it is brought up.
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
    fd_ = new_socket(AF_XDP, sockets_);
    ours_ = without(xdp_descriptors(), before_);
    program_ = xdp_program_on(interface_);
  }
  void stopping() override { others_ = ForeignProgram(interface_, program_); }
  void abandon(rte_mempool& pool) override {
    stopping();
    if (fd_ >= 0) held_ = read_xdp_rings(fd_, zero_copy());
    pool_ = &pool;
  }
  // The driver takes whatever program it finds off the interface, forgets the mbufs of its rings, and may
  // leave descriptors open.
  void closed() override {
    const auto forgotten = without(xdp_descriptors(), before_);
    for (const XdpDescriptor& one : fd_ < 0 ? forgotten : ours_) {
      if (std::find(forgotten.begin(), forgotten.end(), one) != forgotten.end()) close(one.fd);
    }
    fd_ = -1;
    others_.put_back();
    if (pool_ != nullptr) release_frames(*pool_, held_.frames);
  }
  void add_losses(PortLosses& losses) override {
    losses.missed += held_.unread;
    losses.transmit_errors += held_.unsent;
  }
  std::uint32_t xdp_program() override { return program_; }
  std::string describe() override {
    if (fd_ < 0) return {};
    return zero_copy() ? "zero copy" : "copy mode";
  }

 private:
  bool zero_copy() const {
    xdp_options options{};
    socklen_t size = sizeof(options);
    return getsockopt(fd_, SOL_XDP, XDP_OPTIONS, &options, &size) == 0 &&
           (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
  }

  std::vector<XdpDescriptor> before_, ours_;
  std::vector<int> sockets_;
  unsigned interface_;
  int fd_ = -1;
  std::uint32_t program_ = 0;
  rte_mempool* pool_ = nullptr;
  XdpHeld held_;
  ForeignProgram others_;
};

std::unique_ptr<PortExtra> watch_program(const std::string& interface) {
  return std::make_unique<XdpExtra>(interface);
}

// A failing attempt costs the driver's first mbufs, so that none is made while the queue of the same
// interface may still be the former socket's. One made anew nobody had.
Status make_way(const std::string& interface, unsigned last_index) {
  if (auto clear = remove_xdp_leftover(interface); !clear) return clear;
  if (interface_index(interface) != last_index) return ok();
  if (wait_for_xdp_queue(interface)) return ok();
  return Error{"port af_xdp:" + interface +
                   ": another AF_XDP socket holds queue 0 of the interface; end the " +
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
  plan.name = "net_af_xdp" + std::to_string(input.number);
  plan.arguments = "iface=" + interface + ",start_queue=0,queue_count=1";
  // Zero copy needs frames that do not cross pages, which small pages cannot promise.
  if (!input.huge_pages) plan.arguments += ",force_copy=1";
  plan.interface = interface;
  plan.shared = true;
  plan.frame_limit = max_frame_of(input.configured);
  plan.frame = std::min(input.frame, plan.frame_limit);
  plan.room_overhead = 128 + 256;  // mbuf headroom and XDP_PACKET_HEADROOM
  plan.rx_ring = kRing;
  plan.tx_ring = kRing;
  plan.held = 3 * kRing;  // fill and receive, transmit, completion
  plan.loses = loses;
  plan.prepare = remove_xdp_leftover;
  plan.prepare_again = make_way;
  plan.watch = watch_program;
  return plan;
}

}  // namespace dp::dpdk
