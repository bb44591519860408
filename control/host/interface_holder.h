// The holder of an interface: found in /proc by the open files of processes, as far as this one may read
// them. Reads only.
// Tests: tests/system/test_holders.py
#pragma once
#include <cstdint>
#include <optional>

#include "control/host/host_facts.h"

namespace control {

// A living process that has the XDP program open (0: none is attached), or an rncd with a packet socket on
// the interface, which every rncd has on its own.
std::optional<Holder> holder_of(unsigned interface, std::uint32_t xdp_program);

}  // namespace control
