// AF_XDP sockets and BPF maps of this process. libxdp keeps its own open when it finds its program taken away
// from the interface, and the queue would stay ours for ever; whoever closes the device closes them then.
#pragma once
#include <cstdint>
#include <vector>

namespace dp::dpdk {

struct XdpDescriptor {
  int fd;
  std::uint64_t id;  // the socket's inode or the map's id: the number of a descriptor is soon reused
  friend bool operator==(const XdpDescriptor&, const XdpDescriptor&) = default;
};

std::vector<XdpDescriptor> xdp_descriptors();

// Those of the first list that are not in the second.
std::vector<XdpDescriptor> without(const std::vector<XdpDescriptor>& all,
                                   const std::vector<XdpDescriptor>& others);

}  // namespace dp::dpdk
