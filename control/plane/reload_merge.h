// The lists of a configuration that is read again: classes, networks and cells as they shall run. Pure.
// Tests: tests/unit/control/plane/reloader_test.cc
#pragma once
#include "control/plane/reload.h"

namespace control {

// Merges into `reload.config` the classes, networks and cells that run, in their places, with those of the
// file, and takes over the file's bearers, rules and profiles with the merged numbers. What cannot change
// goes to `reload.refused`, cells that the file no longer has to `reload.cells_gone`. False if there would be
// more classes or networks than fit: then none of it is taken. Requires: `reload.config` is the running one.
bool merge_lists(const config::Config& running, const config::Config& file_before, const config::Config& file,
                 Reload& reload);

}  // namespace control
