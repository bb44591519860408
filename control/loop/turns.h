// Whose request is worked on next: each client's in its turn, the large ones few at a time and apart from the
// others, so that nobody with a small request waits for many large ones. Owned by a server.
#pragma once
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "control/loop/connection.h"
#include "control/loop/event_loop.h"
#include "control/loop/socket_limits.h"

namespace control {

// Root, and the user that rncd runs as.
bool is_owner(uid_t uid);

class Turns {
 public:
  using Shared = std::shared_ptr<Connection>;

  // That a request is worked on: until end(), or until nobody is left who could call it.
  class Ticket;

  // `start` is called from the loop, for one connection at a time that is ready; it calls begin().
  Turns(EventLoop& loop, const ServerLimits& limits, std::function<void(const Shared&)> start);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // At the end of its queue, if it is not in it.
  void queue(const Shared& connection);
  // The connection's turn comes without another's request having to end.
  bool comes_soon(const Connection& connection) { return lane_of(connection).free(); }
  std::shared_ptr<Ticket> begin(const Connection& connection);

 private:
  // Requests that share a bound on how many are worked on; more wait in their order.
  struct Lane {
    std::size_t limit;
    std::size_t at_work = 0;
    std::deque<std::weak_ptr<Connection>> waiting{};
    bool free() const { return at_work < limit; }
  };

  Lane& lane_of(const Connection& connection);
  void take_turn();
  void start_next(Lane& lane);
  void arm();

  EventLoop& loop_;
  const ServerLimits& limits_;
  std::function<void(const Shared&)> start_;
  Fd event_;  // readable always; the loop looks at it while there is something to start
  bool armed_ = false;
  std::array<Lane, 3> lanes_;
  std::shared_ptr<Turns*> self_ = std::make_shared<Turns*>(this);  // tickets may outlive us
};

class Turns::Ticket {
 public:
  Ticket(std::shared_ptr<Turns*> turns, Lane& lane) : turns_(std::move(turns)), lane_(lane) {
    ++lane_.at_work;
  }
  ~Ticket() { end(); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  void end();

 private:
  std::shared_ptr<Turns*> turns_;
  Lane& lane_;  // of *turns_, while there is one
  bool ended_ = false;
};

}  // namespace control
