// From the running data plane to the text of a saved state, and from a saved state to what is to be wished
// for, in slices.
#pragma once
#include <string>
#include <vector>

#include "control/plane/data_plane.h"
#include "control/state/saved_state.h"

namespace control {

// Writes the text of what runs now. Where a configuration was changed meanwhile, the text is empty at the
// end. Requires: both outlive the work.
Slices write_state(const DataPlane& plane, std::uint64_t disk, std::string& text);

// What became of saved bearers that could not be wished for.
struct Unrestored {
  std::size_t bearers = 0;
  std::string first;  // and why
};
// Bearers that the state has beside those that the configuration lists, and what they have of their own. Of
// a class or a cell that is gone there are none. Requires: all outlive the work.
Slices wish_again(const std::vector<SavedBearer>& saved, DataPlane& plane, Wish& wish,
                  Unrestored& unrestored);

}  // namespace control
