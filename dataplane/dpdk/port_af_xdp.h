// Between the two files of the AF_XDP port: XDP programs that are on an interface before us.
#pragma once
#include <string>

#include "dataplane/base/result.h"
#include "dataplane/dpdk/device.h"

namespace dp::dpdk {

// Fails when a program is attached that is not the leftover of a killed forwarder. Touches nothing.
Status check_xdp_program(const std::string& interface);

// Takes such a leftover away.
Status remove_xdp_leftover(const std::string& interface);

}  // namespace dp::dpdk
