#include "control/control_sockets.h"

#include <system_error>

#include "control/host/group.h"
#include "control/loop/log.h"
#include "control/rpc/methods.h"

namespace control {

ControlSockets::ControlSockets(EventLoop& loop, Ready& ready, Services& services)
    : loop_(loop),
      dispatcher_(services),
      read_only_dispatcher_(services, rpc::read_only_methods()),
      control_{&ready.instance, "control.socket", ready.config.control.mode, nullptr},
      read_only_{ready.read_only ? &*ready.read_only : nullptr, "control.read_only",
                 ready.config.control.read_only_mode, nullptr} {
  if (ready.config.control.group.empty()) return;
  if (const auto group = find_group(ready.config.control.group)) group_ = *group;  // preflight has found it
}

Fd ControlSockets::listen(const Socket& socket) const {
  return listen_on(socket.instance->socket(), socket.mode, group_);
}

void ControlSockets::open() {
  open(control_, dispatcher_, {}, "control");
  if (read_only_.instance != nullptr)
    open(read_only_, read_only_dispatcher_, read_only_limits(), "read_only");
}

void ControlSockets::open(Socket& socket, rpc::Dispatcher& dispatcher, const ServerLimits& limits,
                          const char* name) {
  const auto handle = [&dispatcher](std::string line, const Peer& peer, Server::Reply reply) {
    return dispatcher.handle(std::move(line), peer, std::move(reply));
  };
  socket.server = std::make_unique<Server>(loop_, listen(socket), handle, limits, name);
  socket.instance->bound();
}

void ControlSockets::mend() {
  for (Socket* socket : {&control_, &read_only_}) {
    if (socket->server) mend(*socket);
  }
}

void ControlSockets::mend(Socket& socket) {
  const auto failed = [&socket](const std::string& why) {
    log::error(Event::socket_not_made, {{"key", socket.key}, {"error", why}});
  };
  try {
    const auto gone = socket.instance->take_again(socket.key);
    if (!gone) return failed(gone.error().message);
    if (!*gone) return;
    socket.server->listen(listen(socket));
    socket.instance->bound();
    log::warning(Event::socket_made_anew,
                 {{"socket", socket.instance->socket()}, {"found", "nothing at its path"}});
  } catch (const std::system_error& e) {
    failed(e.what());
  }
}

void ControlSockets::tick() {
  for (Socket* socket : {&control_, &read_only_}) {
    if (socket->server) socket->server->tick();
  }
}

void ControlSockets::stop_listening() {
  for (Socket* socket : {&control_, &read_only_}) {
    if (socket->server) socket->server->stop_listening();
  }
}

void ControlSockets::run(Clock::duration each) {
  dispatcher_.run(Clock::now() + each);
  read_only_dispatcher_.run(Clock::now() + each);
}

void ControlSockets::add_stats(View& view) const {
  for (const Socket* socket : {&control_, &read_only_}) {
    if (socket->server) view.sockets.push_back(socket->server->stats());
  }
}

}  // namespace control
