// "tap:NAME": a kernel interface of that name, created at the start and removed at the end.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <dirent.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "dataplane/dpdk/port.h"

namespace dp::dpdk {
namespace {

// The driver's own descriptors of /dev/net/tun show whether the interface exists: it may have been moved into
// a container's network namespace, which does no harm.
class TapExtra : public PortExtra {
 public:
  explicit TapExtra(std::string name) : name_(std::move(name)) {}
  bool still_there() override { return fd_ >= 0 && is_ours(fd_); }
  void started() override {
    DIR* const folder = opendir("/proc/self/fd");
    if (folder == nullptr) return;
    while (const dirent* entry = readdir(folder)) {
      const int fd = std::atoi(entry->d_name);
      if (entry->d_name[0] != '.' && is_ours(fd)) fd_ = fd;
    }
    closedir(folder);
  }

 private:
  // Fails with EBADFD when the interface is gone.
  bool is_ours(int fd) const {
    struct stat file {};
    ifreq request{};
    return fstat(fd, &file) == 0 && S_ISCHR(file.st_mode) && ioctl(fd, TUNGETIFF, &request) == 0 &&
           name_ == request.ifr_name;
  }

  std::string name_;
  int fd_ = -1;
};

std::unique_ptr<PortExtra> watch_tap(const PortPlan& plan) {
  return std::make_unique<TapExtra>(plan.interface);
}

}  // namespace

Result<PortPlan> plan_tap(const PlanInput& input) {
  const std::string& name = input.device.argument;
  if (name.empty() || name.size() >= IFNAMSIZ || name.find_first_of(",/ ") != std::string::npos) {
    return Error{"port " + input.configured + ": '" + name + "' is no interface name; expected 1 to " +
                     std::to_string(IFNAMSIZ - 1) + " characters without comma, slash and space",
                 4};
  }
  if (interface_index(name) != 0) {
    return Error{"port " + input.configured + ": an interface " + name +
                     " exists already; choose another name or remove it with 'ip link del " + name + "'",
                 4};
  }
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "vdev";
  plan.devices = {{"net_tap" + std::to_string(input.number), "iface=" + name}};
  plan.interface = name;
  plan.frame = input.frame;
  plan.frame_limit = std::min(input.frame, max_frame_of(input.configured));
  plan.room_overhead = 128;
  plan.rx_ring = 16;  // mbufs that one long frame may fill
  plan.held = 32;
  plan.sets_mtu = true;
  plan.makes_interface = true;
  plan.watch = watch_tap;
  return plan;
}

}  // namespace dp::dpdk
