// The end of a saved state that cannot be read: it is kept under another name, so that somebody may mend
// it, and so that the next state does not take its place.
// Tests: tests/unit/control/host/own_file_test.cc
#pragma once
#include <string>

#include "control/host/own_file.h"

namespace control {

// True for what may be a damaged file of rncd's: a file that is empty, that only its owner may open, or that
// begins as JSON or with zeroes as after a crash of the host; and a FIFO, which holds nothing.
bool may_be_damaged(const OwnFile& file);

// Renames it to `PATH.unread`, and answers the path at which it is now: the old one where it is not such a
// file, or where the new name is taken by something else.
std::string put_aside(const OwnFile& file);

}  // namespace control
