// The order of processing requests: clients take turns; large requests are limited in number and separate, so
// that a small request does not wait for many large ones. Owned by a server.
// Tests: tests/unit/control/rpc/dispatcher_turns_test.cc
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

// True for root and the user that rncd runs as.
bool is_owner(uid_t uid);

class Turns {
 public:
  using Shared = std::shared_ptr<Connection>;

  // A request in processing: until end(), or until the last copy is destroyed.
  class Ticket;

  // The loop calls `start` for one ready connection at a time, which calls begin().
  Turns(EventLoop& loop, const ServerLimits& limits, std::function<void(const Shared&)> start);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Appends a connection to its queue, unless it is queued.
  void queue(const Shared& connection);
  // True if the connection's turn does not depend on the end of another request.
  bool comes_soon(const Connection& connection) { return lane_of(connection).free(); }
  std::shared_ptr<Ticket> begin(const Connection& connection);

 private:
  // Requests with a common limit on those in processing; others wait in order.
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
  Fd event_;  // always readable; the loop polls it while there are requests to start
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
  Lane& lane_;  // a lane of *turns_; valid while that exists
  bool ended_ = false;
};

}  // namespace control
