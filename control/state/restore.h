// Takes up a saved state.
#pragma once
#include <functional>
#include <memory>

#include "control/plane/data_plane.h"
#include "control/state/saved_state.h"

namespace control {

// In a data plane that began with to_start_with(): the bearers come back, and where the configuration file is
// not what it was then, it is taken over as if it had been read again. `done` is called once; what does not
// come back is logged. Requires: the plane outlives it.
void restore(DataPlane& plane, std::shared_ptr<const SavedState> saved, const config::Config& file,
             std::function<void()> done);

}  // namespace control
