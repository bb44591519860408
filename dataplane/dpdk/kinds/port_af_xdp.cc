// "af_xdp:IF": an AF_XDP socket of ours on each channel of a kernel interface, fed by the wire's XDP program
// (dataplane/xdp/wire.h). No other file depends on how the socket is opened. DPDK's own AF_XDP driver removes
// its program from the interface when it ends and refuses to start where there is one: the wire could not
// survive it.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <rte_mempool.h>

#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/dpdk/af_xdp/xdp_device.h"
#include "dataplane/dpdk/af_xdp/xdp_queue.h"
#include "dataplane/dpdk/port.h"

namespace dp::dpdk {
namespace {

// The kernel refuses a frame outside the UMEM only after we have handed it over.
bool loses(const rte_mempool& pool, const rte_mbuf& mbuf) { return !XdpMemory(pool).holds(mbuf); }

// The queues were assigned to workers at the start, so their number must not change.
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
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "socket";
  plan.queues = std::min({input.queues, interface_channels(interface), unsigned{WIRE_QUEUES}});
  plan.devices.resize(plan.queues);
  plan.make = make_xdp_device;
  // Zero copy requires frames that do not cross pages, which small pages cannot guarantee.
  plan.copies = !input.huge_pages;
  plan.interface = interface;
  plan.shared = true;
  plan.frame_limit = max_frame_of(input.configured);
  plan.frame = std::min(input.frame, plan.frame_limit);
  plan.room_overhead = 128 + 256;  // mbuf headroom and XDP_PACKET_HEADROOM
  plan.rx_ring = plan.tx_ring = XdpQueue::kRing;
  plan.held = plan.queues * 3u * XdpQueue::kRing;  // fill and receive, transmit, completion
  plan.loses = loses;
  plan.may_return = check_channels;
  return plan;
}

}  // namespace dp::dpdk
