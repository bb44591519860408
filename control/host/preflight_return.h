// Judges a port while rncd runs: one that comes back, or one that is bound.
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "dataplane/base/ids.h"

namespace control {

// What preflight complains of first, as things are now; empty: nothing. Any thread.
std::string unfit_to_return(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side);
// Complaints of preflight, or a larger MTU than `max_frame` (PortReport) has room for, of an interface that
// is there without this process; empty: none. Any thread.
std::string unfit_while_bound(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side,
                              std::uint32_t max_frame);

}  // namespace control
