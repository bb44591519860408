// One client of the control socket: its buffers, both bounded, and its pending work. Owns the descriptor; the
// server owns the connection.
// Tests: tests/unit/control/rpc/server_test.cc
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "control/loop/byte_queue.h"
#include "control/loop/client.h"
#include "control/loop/event_loop.h"
#include "control/loop/socket_limits.h"

namespace control {

// The process at the other end (SO_PEERCRED), the time at which the last byte of the current request was
// read, and the connection, which is there until it is closed.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
  Client connection{};
};
Peer peer_of(int fd);

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  // The next action; the first state that applies.
  enum class State {
    over,       // none: everything is done, or the client is gone or exceeded its limits
    finishing,  // the client reads the reason of its refusal; no further input is accepted
    owing,      // the client reads its answer
    busy,       // its request is being processed
    ready,      // its complete request is to be processed
    half_sent,  // the client sends the rest of its request
    idle,       // the client sends a request
  };

  Connection(Fd fd, const ConnectionLimits& limits);

  int fd() const { return fd_.get(); }
  const Peer& peer() const { return peer_; }
  State state() const { return state_; }
  // Time at which the state began; in `owing`, of the client's last read.
  Clock::time_point since() const { return since_; }
  bool served() const { return served_; }  // it got an answer
  // Time at which the client, if inactive, is disconnected.
  Clock::time_point deadline() const;
  // Bytes allocated by the buffers.
  std::size_t memory() const { return input_.memory() + output_.memory(); }

  void receive();
  // Size of the current request, whole or partial.
  std::size_t request_size() const { return line_end_ == kNone ? input_.size() : line_end_; }
  bool oversized() const { return request_size() > limits_.request; }
  // Takes the current request, which counts as being processed until answered(). Requires: state() == ready.
  std::string take_request();
  // Sends the answer; empty text sends none. Requires: a request was taken, and not answered.
  void answered(std::string_view text);

  void flush();
  // Sends a final message; no further input is processed.
  void refuse(std::string_view text);
  void hang_up();

  // The work for the current request; released with it.
  std::shared_ptr<void> work;

  bool wants_input() const;
  bool wants_output() const { return !output_.empty(); }

  // Used by the server: true while it waits in a queue; its entry in the server's counts.
  bool queued = false;
  std::size_t counted = 0;

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  void scan();
  void send(std::string_view text);
  State next_state() const;
  void update(bool progress = false);

  Fd fd_;
  const ConnectionLimits& limits_;
  std::shared_ptr<const char> there_ = std::make_shared<const char>();  // for peer_.connection
  Peer peer_;
  ByteQueue input_;
  std::size_t scanned_ = 0;       // no newline before this index of input_
  std::size_t line_end_ = kNone;  // end of the first request in input_, once it is complete
  ByteQueue output_;
  bool busy_ = false;
  bool served_ = false;
  bool end_of_input_ = false;
  bool finishing_ = false;
  bool broken_ = false;
  State state_ = State::idle;
  Clock::time_point since_ = Clock::now();
};

}  // namespace control
