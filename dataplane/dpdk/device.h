// Device names of the configuration, and the properties of a device that are known before anything is
// touched: its kind, the kernel's interface behind it, the largest frame it can take. Plain: no rte_ names,
// so preflight uses it too.
// Tests: tests/system/dpdk_start_test.cc
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "dataplane/base/result.h"

namespace dp::dpdk {

enum class DeviceKind : std::uint8_t { af_xdp, af_packet, tap, pcap, null, pci, ring };

struct Device {
  DeviceKind kind{};
  std::string argument;  // the text after the prefix; for a PCI device its whole address

  // The kernel's interface that frames pass through; empty when there is none.
  std::string_view interface() const;
};

// Exit code 4 when the name fits no kind.
Result<Device> parse_device(const std::string& device);

// The largest frame (link header included, FCS not) that this kind of device can take whole, with the largest
// mbufs it allows; 0 when the name fits no kind. An interface needs its MTU + kLinkBytes.
std::uint32_t max_frame_of(const std::string& device);

// Ethernet header and two VLAN tags.
inline constexpr std::uint32_t kLinkBytes = 22;

// Properties of an interface in the caller's network namespace; 0 or false when it does not exist.
std::uint32_t interface_mtu(std::string_view interface);
unsigned interface_index(std::string_view interface);
bool interface_running(std::string_view interface);  // up, with a carrier
// Receive channels that have a transmit channel of the same number; 1 if the driver does not report any.
unsigned interface_channels(std::string_view interface);

}  // namespace dp::dpdk
