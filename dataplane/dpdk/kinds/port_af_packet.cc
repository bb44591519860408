// "af_packet:IF": one packet socket per queue, with mapped rings, on a kernel interface; every frame is
// copied. The kernel gives both directions of a flow to one of the sockets (PACKET_FANOUT_HASH), which is not
// always that of the worker that has the UE. When a socket's ring is nearly full, the kernel gives frames to
// another socket (PACKET_FANOUT_FLAG_ROLLOVER), so that frames of one flow may be reordered.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <linux/if_packet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/dpdk/port.h"
#include "dataplane/dpdk/sockets.h"

namespace dp::dpdk {
namespace {

// Bytes in front of a received frame in its slot: the kernel aligns header and address, then leaves room for
// a MAC header (packet(7), TPACKET_V2).
constexpr std::uint32_t kSlotHeader = 66;
constexpr std::uint32_t kSmallestSlot = 2048;
constexpr std::uint32_t kBlock = 65536;
constexpr std::uint32_t kSlots = 2048;
// RTE_PMD_AF_PACKET_MAX_RINGS of the driver.
constexpr unsigned kMostSockets = 16;

// The driver does not report the frames that the kernel dropped because the ring was full; its sockets do.
class KernelDrops : public PortExtra {
 public:
  KernelDrops() : before_(sockets_of(AF_PACKET)) {}

  // The driver waits without limit for a socket whose send buffer is full, so the buffer must never be full.
  void started() override {
    sockets_ = new_sockets(AF_PACKET, before_);
    const int bytes = 1 << 30;
    for (const int fd : sockets_) setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
  }

  // Frames that the driver could not send stay in its ring until the next sendto() call.
  void stopping() override {
    for (const int fd : sockets_) {
      for (int i = 0; i < 100 && sendto(fd, nullptr, 0, MSG_DONTWAIT, nullptr, 0) > 0; ++i) {
      }
    }
  }

  void add_losses(PortLosses& losses) override {
    for (const int fd : sockets_) {
      tpacket_stats stats{};
      socklen_t size = sizeof(stats);
      // Reading sets the kernel's counter to zero.
      if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0) dropped_ += stats.tp_drops;
    }
    losses.missed += dropped_;
  }

 private:
  std::vector<int> before_, sockets_;
  std::uint64_t dropped_ = 0;
};

std::unique_ptr<PortExtra> watch_drops(const PortPlan&) { return std::make_unique<KernelDrops>(); }

}  // namespace

Result<PortPlan> plan_af_packet(const PlanInput& input) {
  const std::string& interface = input.device.argument;
  if (interface_index(interface) == 0) {
    return Error{"port " + input.configured + ": there is no interface '" + interface +
                     "' in this network namespace; 'ip link' lists them",
                 4};
  }
  const int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return Error{"port " + input.configured + ": no packet socket: " + std::strerror(errno) +
                     "; run as root, or with CAP_NET_RAW and CAP_NET_ADMIN",
                 errno == EPERM || errno == EACCES ? 5 : 4};
  }
  close(fd);
  const std::uint32_t most = max_frame_of(input.configured);
  const std::uint32_t slot =
      std::max(kSmallestSlot, (std::min(input.frame, most) + kSlotHeader + 63) / 64 * 64);
  const std::uint32_t count = kBlock / slot * (kSlots * kSmallestSlot / kBlock);
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  plan.queues = std::min(input.queues, kMostSockets);
  const std::string arguments = "iface=" + interface + ",qpairs=" + std::to_string(plan.queues) +
                                ",blocksz=" + std::to_string(kBlock) + ",framesz=" + std::to_string(slot) +
                                ",framecnt=" + std::to_string(count) + ",qdisc_bypass=0";
  plan.devices = {{"net_af_packet" + std::to_string(input.number), arguments}};
  plan.interface = interface;
  plan.shared = true;
  plan.frame = slot - kSlotHeader;
  plan.frame_limit = std::min(most, slot - kSlotHeader);
  plan.room_overhead = 128 + kSlotHeader;  // the driver requires that a whole slot fits, less its own header
  plan.watch = watch_drops;
  return plan;
}

}  // namespace dp::dpdk
