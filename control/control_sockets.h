// The control socket and the read-only one: their listeners, and the dispatchers that answer there. Belongs
// to the control thread.
#pragma once
#include <memory>
#include <optional>

#include "control/loop/event_loop.h"
#include "control/metrics/view.h"
#include "control/rpc/dispatcher.h"
#include "control/rpc/server.h"
#include "control/startup.h"

namespace control {

class ControlSockets {
 public:
  using Clock = Connection::Clock;

  // Requires: all three outlive this.
  ControlSockets(EventLoop& loop, Ready& ready, Services& services);

  // Throws std::system_error.
  void open();
  // Makes anew a socket that somebody has removed, and its lock as well; the log has the result.
  void mend();
  void tick();
  void stop_listening();

  bool ready() const { return dispatcher_.ready() || read_only_dispatcher_.ready(); }
  void run(Clock::duration each);
  void add_stats(View& view) const;

 private:
  // One of the two sockets. Requires: `instance` is there.
  struct Socket {
    Instance* instance;
    const char* key;  // the key in the configuration
    std::uint32_t mode;
    std::unique_ptr<Server> server;
  };
  void open(Socket& socket, rpc::Dispatcher& dispatcher, const ServerLimits& limits, const char* name);
  void mend(Socket& socket);
  Fd listen(const Socket& socket) const;

  EventLoop& loop_;
  rpc::Dispatcher dispatcher_;
  rpc::Dispatcher read_only_dispatcher_;
  Socket control_;
  Socket read_only_;
  std::optional<gid_t> group_{};
};

}  // namespace control
