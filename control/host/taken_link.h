// A kernel interface that rncd has taken down itself, and the mark of it by which it is brought up again
// even if rncd is killed. The mark is a small file beside the control socket, which only one rncd serves: an
// interface has no place of its own for it that does not belong to its user (the alias, the group, another
// name). The file says which interface of which network namespace and of which boot is meant, so that it
// means nothing when that one is gone.
// Tests: tests/unit/control/ports/link_propagation_test.cc
#pragma once
#include <string>

#include "control/host/own_file.h"
#include "dataplane/base/result.h"

namespace control {

// Takes the interface down, or brings it up, as `ip link set dev IF down` does.
dp::Status set_link_up(unsigned index, bool up);

class TakenLink {
 public:
  // `socket`: the path of the control socket.
  explicit TakenLink(const std::string& socket) : mark_{kMarkKind, socket + ".links", "control.socket"} {}

  // Index of the interface that is down because of this; 0: none is.
  unsigned index() const { return index_; }
  // Marks it, and takes it down. An error: it is as it was. Requires: none is taken.
  dp::Status take(unsigned index);
  // Brings up what was taken, if it is still there, and removes the mark. Nothing taken: does nothing.
  dp::Status give_back();
  // Takes up the mark that a former process has left, so that give_back() brings its interface up. Requires:
  // that process has ended.
  void find();

 private:
  OwnFile mark_;
  unsigned index_ = 0;
};

}  // namespace control
