// Another rncd that takes this one's place: in the same process, so that whoever watches over it sees no end,
// with the same arguments and environment, and with what runs. While it starts the wire goes by its kernel's
// way. Made before anything else, since it keeps the CPUs that the process may use from before EAL takes one.
#pragma once
#include <string>
#include <vector>

#include <sched.h>

#include "dataplane/base/result.h"

namespace control {

class Successor {
 public:
  Successor(int argc, char** argv);

  // The version that the program reports if it accepts these arguments and this configuration; otherwise an
  // error with its output. Runs it twice, for some seconds at most: not for the control thread.
  dp::Result<std::string> check(const std::string& program) const;

  // This program is about to leave for that one, which was checked.
  void choose(std::string program) { program_ = std::move(program); }
  bool chosen() const { return !program_.empty(); }
  // Sets the state that it is to take over. Requires: one is chosen.
  void leave_state(std::string text) { state_ = std::move(text); }
  // True once the state was set.
  bool left() const { return !state_.empty(); }

  // Executes that program. If the kernel refuses it, this program begins anew with what runs. Comes back only
  // with an error of both. Requires: left(); no other thread does anything that matters.
  dp::Error become() const;

 private:
  std::string own_name_;
  std::vector<std::string> arguments_;  // without the program's own name, and without --restore
  cpu_set_t cpus_{};
  std::string program_;
  std::string state_;
};

}  // namespace control
