// Kernel interfaces: a check whether one can be an end of a wire, and its flag to take every frame, as a user
// would set it (ip link set dev IF promisc on): the flag outlives the process that sets it.
// Tests: tests/system/test_wire.py
#pragma once
#include <string>

namespace dp::xdp {

// 0: the caller's network namespace has no interface of that name. Two names may belong to one interface.
unsigned index_of(const std::string& interface);
// False for a loopback, a tunnel and any other interface without an Ethernet header.
bool carries_ethernet(const std::string& interface);

// False also if there is no such interface.
bool is_promiscuous(const std::string& interface);
// Returns 0, or the number of the error.
int set_promiscuous(const std::string& interface, bool on);

}  // namespace dp::xdp
