#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/dpdk/port.h"

namespace dp::dpdk {
namespace {

constexpr std::uint32_t kEthernetMtu = 1500;

// In the order of the values of DeviceKind.
constexpr std::array<MakePlan, 7> kPlanners{plan_af_xdp, plan_af_packet, plan_tap, plan_pcap,
                                            plan_null,   plan_pci,       plan_ring};

Status check_frame(const PortPlan& plan, const Device& device) {
  if (device.kind == DeviceKind::tap || plan.interface.empty()) return ok();
  const std::uint32_t mtu = interface_mtu(plan.interface);
  if (mtu + kLinkBytes <= plan.frame_limit) return ok();
  const std::string most = std::to_string(plan.frame_limit - kLinkBytes);
  return Error{"port " + plan.configured + ": the interface's MTU is " + std::to_string(mtu) +
                   ", this kind of device takes at most " + most + "; mend it with 'ip link set dev " +
                   plan.interface + " mtu " + most + "' on both ends of the link",
               4};
}

}  // namespace

Result<std::array<PortPlan, 2>> plan_ports(const std::array<std::string, 2>& devices, bool huge_pages,
                                           unsigned workers, const WireConfig& wire) {
  DP_EXPECT(workers > 0);
  std::array<PlanInput, 2> inputs;
  std::uint32_t frame = kEthernetMtu + kLinkBytes;
  for (unsigned i = 0; i < 2; ++i) {
    auto device = parse_device(devices[i]);
    if (!device) return device.error();
    frame = std::max(frame, interface_mtu(device->interface()) + kLinkBytes);
    inputs[i] = {std::move(*device), devices[i], i, huge_pages, 0, workers};
  }
  std::array<PortPlan, 2> plans;
  std::array<std::string, 2> sockets;  // interfaces that the XDP program feeds
  for (unsigned i = 0; i < 2; ++i) {
    inputs[i].frame = frame;
    auto plan = kPlanners[index(inputs[i].device.kind)](inputs[i]);
    if (!plan) return plan.error();
    if (auto fits = check_frame(*plan, inputs[i].device); !fits) return fits.error();
    plans[i] = std::move(*plan);
    plans[i].side = kSides[i];
    plans[i].workers = workers;
    if (inputs[i].device.kind == DeviceKind::af_xdp) sockets[i] = plans[i].interface;
  }
  if (plans[0].bus == plans[1].bus && !plans[0].interface.empty() &&
      plans[0].interface == plans[1].interface) {
    return Error{"both ports are on the interface " + plans[0].interface + "; a wire needs two", 4};
  }
  if (sockets[0].empty() && sockets[1].empty()) return plans;
  const auto shared = std::make_shared<xdp::Wire>(sockets, wire);
  for (unsigned i = 0; i < 2; ++i) {
    if (!sockets[i].empty()) plans[i].wire = shared;
  }
  return plans;
}

}  // namespace dp::dpdk
