// An interface that takes every frame for the lifetime of this object. The kernel counts the packet sockets
// that request this, and forgets those of a process that is gone: nothing is left behind, however the process
// ended, and the user's setting stays. The interface's flag, which drivers set, has no such count.
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

  // The socket is bound to the interface, so that its user can be identified
  // (control/host/interface_holder.h).
  Status begin(const std::string& interface);
  void end();

 private:
  int fd_ = -1;
};

}  // namespace dp::dpdk
