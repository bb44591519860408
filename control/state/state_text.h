// Converts the running data plane to the text of a saved state, and a saved state to a wish, in slices.
// Tests: tests/unit/control/rpc/networks_test.cc
#pragma once
#include <string>
#include <vector>

#include "control/plane/data_plane.h"
#include "control/state/saved_state.h"

namespace control {

// Writes the text of the running state; empty if a configuration was changed meanwhile. Requires: both
// outlive the work.
Slices write_state(const DataPlane& plane, std::uint64_t disk, std::string& text);

// Saved bearers that could not be restored.
struct Unrestored {
  std::size_t bearers = 0;
  std::string first;  // the first of them, and why
};
// Adds saved bearers beyond those that the configuration lists, and bearers' own settings, without those of
// removed classes or cells. Requires: all arguments outlive the work.
Slices wish_again(const std::vector<SavedBearer>& saved, DataPlane& plane, Wish& wish,
                  Unrestored& unrestored);

}  // namespace control
