// The sockets that a driver opened without reporting them, found by comparing this process's sockets before
// and after.
#pragma once
#include <vector>

namespace dp::dpdk {

// File descriptors of this process that are sockets of `domain`, except packet sockets that receive nothing.
std::vector<int> sockets_of(int domain);

// Those that are not in `before`.
std::vector<int> new_sockets(int domain, const std::vector<int>& before);

}  // namespace dp::dpdk
