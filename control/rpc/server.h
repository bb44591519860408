// The control socket: a Unix stream socket on which each line is a request and each answer a line. Never
// blocks: every client has bounded buffers, one request at a time is worked on for each, and no client has
// another wait for more than one request of its own.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

#include "control/loop/connection.h"
#include "control/loop/event_loop.h"
#include "control/loop/places.h"
#include "control/loop/server_stats.h"
#include "control/loop/socket_limits.h"
#include "control/loop/turns.h"

namespace control {

class Server {
 public:
  // Called once for each request, at once or later, with its answer; empty when no answer is due.
  using Reply = std::function<void(std::string)>;
  // Returns the owner of the work: it is destroyed when the client leaves, and the work with it. Null: the
  // work is over.
  using Handler = std::function<std::shared_ptr<void>(std::string line, const Peer& peer, Reply reply)>;

  // `listener` is bound and listens; `name` is the socket's in the log and the metrics.
  Server(EventLoop& loop, Fd listener, Handler handler, const ServerLimits& limits = {},
         std::string_view name = "control");
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Cuts clients that have kept the server waiting for too long; to be called about once a second.
  void tick();
  // Accepts clients from this listener, in place of the one before.
  void listen(Fd listener);
  // Accepts no more clients; answers under way are still sent.
  void stop_listening();
  std::size_t connections() const { return connections_.size(); }
  const ServerStats& stats() const { return stats_; }

 private:
  using Shared = std::shared_ptr<Connection>;
  using State = Connection::State;

  void accept_some();
  void welcome(Fd fd);
  bool make_room_for(Connection& newcomer);
  void on_event(const Shared& connection, std::uint32_t events);
  void offer(const Shared& connection);
  void start(const Shared& connection);
  void settle(const Shared& connection);
  void relieve();
  std::vector<Place> places(bool (*evictable)(const Connection&)) const;
  void cut(int fd, Cut why, const std::string& text);
  void close(int fd);
  void tell_of_cuts(Connection::Clock::time_point now);

  EventLoop& loop_;
  Fd listener_;
  bool paused_ = false;  // no descriptors were left for a client; until the next tick
  Handler handler_;
  ServerLimits limits_;
  ServerStats stats_;
  ServerStats told_;  // the values that were logged last
  Connection::Clock::time_point tell_next_{};
  std::unordered_map<int, Shared> connections_;
  Turns turns_;
  // Replies may come after the server is gone; they look here first.
  std::shared_ptr<Server*> self_ = std::make_shared<Server*>(this);
};

// Binds and listens, replacing a stale socket and nothing else, with the given file mode and, if there is
// one, group. Throws std::system_error.
Fd listen_on(const std::string& path, std::uint32_t mode, std::optional<gid_t> group = std::nullopt);

}  // namespace control
