// A queue of a kernel interface with an AF_XDP socket of ours, fed by the wire's XDP program.
#pragma once
#include <memory>
#include <string>

#include "dataplane/dpdk/port.h"
#include "dataplane/dpdk/port_device.h"

namespace dp::dpdk {

// Makes the device of queue `number` of the port. Requires: the plan has a wire.
std::unique_ptr<PortDevice> make_xdp_device(const PortPlan& plan, unsigned number);

}  // namespace dp::dpdk
