// A flag of a kernel interface, as a user would set it (ip link set dev IF promisc on): it outlives who sets
// it.
#pragma once
#include <string>

namespace dp::xdp {

// False too where there is no such interface.
bool is_promiscuous(const std::string& interface);
// 0, or the number of the error.
int set_promiscuous(const std::string& interface, bool on);

}  // namespace dp::xdp
