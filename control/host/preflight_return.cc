#include "control/host/preflight_return.h"

#include <fmt/core.h>

#include "control/host/host_facts.h"
#include "control/host/preflight_port.h"
#include "dataplane/dpdk/device.h"

namespace control {

std::string unfit_to_return(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side) {
  Judgement judgement;
  judge_port(side, devices[dp::index(side)], gather_facts(devices), workers, judgement);
  return judgement.complaints.empty() ? std::string() : judgement.complaints.front().text;
}

std::string unfit_while_bound(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side,
                              std::uint32_t max_frame) {
  const std::string& name = devices[dp::index(side)];
  const auto device = dp::dpdk::parse_device(name);
  using enum dp::dpdk::DeviceKind;
  if (!device || (device->kind != af_xdp && device->kind != af_packet)) return {};
  const std::string interface(device->interface());
  const std::uint32_t mtu = dp::dpdk::interface_mtu(interface);
  const std::uint32_t most = max_frame - dp::dpdk::kLinkBytes;
  if (mtu > most) {
    return fmt::format(
        "port {} ({}): found MTU {}, above the {} for which the memory was laid out at the start: "
        "larger frames are lost in the driver; run: ip link set dev {} mtu {}; or restart rncd",
        dp::name(side), name, mtu, most, interface, most);
  }
  return unfit_to_return(devices, workers, side);
}

}  // namespace control
