// Facts of one kernel interface, from sysfs, ethtool's ioctl and libbpf. Reads only.
#pragma once
#include <string>

#include "control/host/host_facts.h"

namespace control {

InterfaceFacts interface_facts(const std::string& name);

}  // namespace control
