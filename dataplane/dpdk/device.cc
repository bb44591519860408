#include "dataplane/dpdk/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dp::dpdk {
namespace {

struct KindEntry {
  std::string_view prefix;
  DeviceKind kind;
  std::uint32_t max_frame;
};

// af_xdp: an element of the UMEM is at most a page, and the pool spreads elements over odd numbers of cache
// lines: 63 lines less mempool header, mbuf, Sdu, mbuf headroom and the kernel's XDP headroom leave this.
// Other kinds: jumbo frames.
constexpr std::uint32_t kXdpFrame = 63 * 64 - 64 - 128 - 64 - 128 - 256;
constexpr std::uint32_t kJumboFrame = 9728;

constexpr std::array kKinds{
    KindEntry{"af_xdp:", DeviceKind::af_xdp, kXdpFrame},
    KindEntry{"af_packet:", DeviceKind::af_packet, kJumboFrame},
    KindEntry{"tap:", DeviceKind::tap, kJumboFrame},
    KindEntry{"pcap:", DeviceKind::pcap, kJumboFrame},
    KindEntry{"null:", DeviceKind::null, kJumboFrame},
    KindEntry{"ring:", DeviceKind::ring, kJumboFrame},
};

bool is_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return std::isxdigit(static_cast<unsigned char>(c)); });
}

// A PCI address is domain:bus:device.function, the domain optional.
bool is_pci_address(std::string_view text) {
  const auto dot = text.rfind('.');
  const auto colon = text.rfind(':', dot);
  if (dot == std::string_view::npos || colon == std::string_view::npos || colon > dot) return false;
  std::string_view bus = text.substr(0, colon);
  if (const auto first = bus.find(':'); first != std::string_view::npos) {
    if (first != 4 || !is_hex(bus.substr(0, first))) return false;
    bus = bus.substr(first + 1);
  }
  const auto function = text.substr(dot + 1);
  return bus.size() == 2 && is_hex(bus) && dot - colon == 3 && is_hex(text.substr(colon + 1, 2)) &&
         function.size() == 1 && function[0] >= '0' && function[0] <= '7';
}

// Queries the kernel about an interface; false when there is no such interface. `data`: further arguments of
// the request.
bool ask(std::string_view interface, unsigned long request, ifreq& answer, void* data = nullptr) {
  answer = {};
  if (data != nullptr) answer.ifr_data = static_cast<char*>(data);
  if (interface.empty() || interface.size() >= IFNAMSIZ) return false;
  std::memcpy(answer.ifr_name, interface.data(), interface.size());
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool known = ioctl(fd, request, &answer) == 0;
  close(fd);
  return known;
}

}  // namespace

std::string_view Device::interface() const {
  switch (kind) {
    case DeviceKind::af_xdp:
    case DeviceKind::af_packet:
    case DeviceKind::tap:
      return argument;
    default:
      return {};
  }
}

Result<Device> parse_device(const std::string& device) {
  if (device == "null") return Device{DeviceKind::null, ""};
  if (is_pci_address(device)) return Device{DeviceKind::pci, device};
  for (const auto& entry : kKinds) {
    if (device.starts_with(entry.prefix)) return Device{entry.kind, device.substr(entry.prefix.size())};
  }
  return Error{"device '" + device +
                   "': expected af_xdp:INTERFACE, af_packet:INTERFACE, tap:NAME, pcap:IN,OUT, null, or a PCI "
                   "address such as 0000:03:00.0",
               4};
}

std::uint32_t max_frame_of(const std::string& device) {
  const auto parsed = parse_device(device);
  if (!parsed) return 0;
  for (const auto& entry : kKinds) {
    if (entry.kind == parsed->kind) return entry.max_frame;
  }
  return kJumboFrame;
}

std::uint32_t interface_mtu(std::string_view interface) {
  ifreq answer;
  return ask(interface, SIOCGIFMTU, answer) ? static_cast<std::uint32_t>(answer.ifr_mtu) : 0;
}

unsigned interface_index(std::string_view interface) {
  ifreq answer;
  return ask(interface, SIOCGIFINDEX, answer) ? static_cast<unsigned>(answer.ifr_ifindex) : 0;
}

unsigned interface_channels(std::string_view interface) {
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  ifreq answer;
  if (!ask(interface, SIOCETHTOOL, answer, &channels)) return 1;
  const std::uint32_t paired = std::min(channels.rx_count, channels.tx_count);
  return std::max<std::uint32_t>(1, channels.combined_count + paired);
}

bool interface_running(std::string_view interface) {
  ifreq answer;
  return ask(interface, SIOCGIFFLAGS, answer) && (answer.ifr_flags & IFF_UP) != 0 &&
         (answer.ifr_flags & IFF_RUNNING) != 0;
}

}  // namespace dp::dpdk
