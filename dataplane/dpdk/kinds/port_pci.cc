// A PCI address: a NIC that a DPDK driver takes over. EAL probes it when it starts.
#include <array>

#include <unistd.h>

#include "dataplane/dpdk/port.h"

namespace dp::dpdk {
namespace {

// The name of the kernel driver that holds the device; empty if there is none.
std::string kernel_driver(const std::string& folder) {
  std::array<char, 256> target{};
  const auto length = readlink((folder + "/driver").c_str(), target.data(), target.size() - 1);
  const std::string path(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

Result<PortPlan> plan_pci(const PlanInput& input) {
  const std::string& given = input.device.argument;
  const std::string address = given.find(':') == given.rfind(':') ? "0000:" + given : given;
  const std::string folder = "/sys/bus/pci/devices/" + address;
  if (access(folder.c_str(), F_OK) != 0) {
    return Error{
        "port " + input.configured + ": there is no PCI device " + address + "; 'lspci -D' lists them", 4};
  }
  // mlx4 and mlx5 share the device with the kernel's driver; every other driver needs it exclusively.
  const std::string driver = kernel_driver(folder);
  const bool shared = driver.starts_with("mlx");
  if (!shared && driver != "vfio-pci" && driver != "uio_pci_generic" && driver != "igb_uio") {
    return Error{"port " + input.configured + ": the device is held by " +
                     (driver.empty() ? "no driver" : "the kernel's driver " + driver) +
                     ", a DPDK one needs vfio-pci; mend it with 'dpdk-devbind.py -b vfio-pci " + address +
                     "'",
                 4};
  }
  PortPlan plan;
  plan.configured = input.configured;
  plan.bus = "pci";
  plan.devices = {{address, ""}};
  plan.queues = input.queues;
  plan.frame = input.frame;
  plan.frame_limit = max_frame_of(input.configured);
  plan.room_overhead = 128;
  plan.held = plan.queues * (plan.rx_ring + plan.tx_ring);
  plan.sets_mtu = true;
  return plan;
}

}  // namespace dp::dpdk
