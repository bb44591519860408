// "af_packet:IF": a packet socket with mapped rings on a kernel interface; every frame is copied.
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

// In front of a received frame in its slot: the kernel aligns header and address, then leaves room for a MAC
// header (packet(7), TPACKET_V2).
constexpr std::uint32_t kSlotHeader = 66;
constexpr std::uint32_t kSmallestSlot = 2048;
constexpr std::uint32_t kBlock = 65536;
constexpr std::uint32_t kSlots = 2048;

// The driver does not tell what the kernel dropped because the ring was full; its socket does.
class KernelDrops : public PortExtra {
 public:
  KernelDrops() : before_(sockets_of(AF_PACKET)), fd_(-1) {}

  // The driver waits without limit for a socket whose send buffer is full: it must never be.
  void started() override {
    fd_ = new_socket(AF_PACKET, before_);
    const int bytes = 1 << 30;
    if (fd_ >= 0) setsockopt(fd_, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes));
  }

  // What the driver could not push on stays in its ring until somebody does.
  void stopping() override {
    for (int i = 0; fd_ >= 0 && i < 100 && sendto(fd_, nullptr, 0, MSG_DONTWAIT, nullptr, 0) > 0; ++i) {
    }
  }

  void add_losses(PortLosses& losses) override {
    tpacket_stats stats{};
    socklen_t size = sizeof(stats);
    // Reading sets the kernel's counter to zero.
    if (fd_ >= 0 && getsockopt(fd_, SOL_PACKET, PACKET_STATISTICS, &stats, &size) == 0) {
      dropped_ += stats.tp_drops;
    }
    losses.missed += dropped_;
  }

 private:
  std::vector<int> before_;
  int fd_;
  std::uint64_t dropped_ = 0;
};

std::unique_ptr<PortExtra> watch_drops(const std::string&) { return std::make_unique<KernelDrops>(); }

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
  plan.name = "net_af_packet" + std::to_string(input.number);
  plan.arguments = "iface=" + interface + ",blocksz=" + std::to_string(kBlock) +
                   ",framesz=" + std::to_string(slot) + ",framecnt=" + std::to_string(count) +
                   ",qdisc_bypass=0";
  plan.interface = interface;
  plan.shared = true;
  plan.frame = slot - kSlotHeader;
  plan.frame_limit = std::min(most, slot - kSlotHeader);
  plan.room_overhead = 128 + kSlotHeader;  // the driver wants a whole slot to fit, less its own header
  plan.watch = watch_drops;
  return plan;
}

}  // namespace dp::dpdk
