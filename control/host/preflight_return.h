// Judges a port while rncd runs: a returning one, or a bound one.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "dataplane/base/ids.h"

namespace control {

// The first complaint of preflight at this time; empty if there is none. Any thread.
std::string unfit_to_return(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side);
// Complaints of preflight, or a larger MTU than `max_frame` (PortReport) has room for, of an interface that
// is there without this process; empty: none. Any thread.
std::string unfit_while_bound(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side,
                              std::uint32_t max_frame);

}  // namespace control
