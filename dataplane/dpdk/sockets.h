// Sockets that a driver opened and keeps to itself: found by comparing this process's sockets before and
// after.
#pragma once
#include <vector>

namespace dp::dpdk {

// File descriptors of this process that are sockets of `domain`, packet sockets that receive nothing left
// out.
std::vector<int> sockets_of(int domain);

// The first that is not in `before`, or -1.
int new_socket(int domain, const std::vector<int>& before);

}  // namespace dp::dpdk
