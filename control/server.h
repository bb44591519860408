// The control socket: a Unix stream socket on which each line is a request and each answer a line. Never
// blocks: every client has bounded buffers, and one request at a time is worked on for each.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "control/connection.h"
#include "control/event_loop.h"

namespace control {

struct ServerLimits {
  std::size_t connections = 256;
  ConnectionLimits connection;
};

class Server {
 public:
  // Called once a request, at once or later, with its answer; empty when there is nothing to answer.
  using Reply = std::function<void(std::string)>;
  using Handler = std::function<void(std::string line, const Peer& peer, Reply reply)>;

  // `listener` is bound and listens.
  Server(EventLoop& loop, Fd listener, Handler handler, const ServerLimits& limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Cuts clients that have stalled; to be called about once a second.
  void tick();
  // Takes no more clients and no more requests; answers under way are still sent.
  void stop_listening();
  std::size_t connections() const { return connections_.size(); }

 private:
  using Shared = std::shared_ptr<Connection>;

  void accept_all();
  void welcome(Fd fd);
  void on_event(const Shared& connection, std::uint32_t events);
  void serve(const Shared& connection);
  void settle(const Shared& connection);
  void close(int fd);

  EventLoop& loop_;
  Fd listener_;
  Handler handler_;
  ServerLimits limits_;
  std::unordered_map<int, Shared> connections_;
  // Replies may come after the server is gone; they look here first.
  std::shared_ptr<Server*> self_ = std::make_shared<Server*>(this);
};

// Binds and listens, replacing a stale socket, with the file mode given. Throws std::system_error.
Fd listen_on(const std::string& path, std::uint32_t mode);

}  // namespace control
