// Whether a port that comes back while rncd runs would have been let start.
#pragma once
#include <array>
#include <string>

#include "dataplane/base/ids.h"

namespace control {

// What preflight complains of first, as things are now; empty: nothing. Any thread.
std::string unfit_to_return(const std::array<std::string, 2>& devices, unsigned workers, dp::Side side);

}  // namespace control
