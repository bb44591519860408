// Kernel interfaces: whether one can be an end of a wire, and its flag to take every frame, as a user would
// set it (ip link set dev IF promisc on): it outlives who sets it.
#pragma once
#include <string>

namespace dp::xdp {

// 0: there is none of that name in the caller's network namespace. Two names may be of one interface.
unsigned index_of(const std::string& interface);
// False for a loopback, a tunnel and whatever else has no Ethernet header.
bool carries_ethernet(const std::string& interface);

// False too where there is no such interface.
bool is_promiscuous(const std::string& interface);
// 0, or the number of the error.
int set_promiscuous(const std::string& interface, bool on);

}  // namespace dp::xdp
