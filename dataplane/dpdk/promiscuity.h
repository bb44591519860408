// An interface that takes every frame for as long as this lives. The kernel counts who asks for it, by packet
// sockets, and forgets those of a process that is gone: nothing is left behind, however it ended, and what
// the user has set stays. An interface's flag, which drivers set, knows none of that.
#pragma once
#include <string>

#include "dataplane/base/result.h"

namespace dp::dpdk {

class Promiscuity {
 public:
  Promiscuity() = default;
  ~Promiscuity() { end(); }
  Promiscuity(const Promiscuity&) = delete;
  Promiscuity& operator=(const Promiscuity&) = delete;

  // Its socket is bound to the interface, so that others see who has it (control/host/interface_holder.h).
  Status begin(const std::string& interface);
  void end();

 private:
  int fd_ = -1;
};

}  // namespace dp::dpdk
