// Sockets that a driver opened and keeps to itself: found by comparing this process's sockets before and
// after.
#pragma once
#include <vector>

namespace dp::dpdk {

// File descriptors of this process that are sockets of `domain`, packet sockets that receive nothing left
// out.
std::vector<int> sockets_of(int domain);

// Those that are not in `before`.
std::vector<int> new_sockets(int domain, const std::vector<int>& before);

}  // namespace dp::dpdk
