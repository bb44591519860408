// One client of the control socket: its buffers, both bounded, and what is left to do for it. Owns the
// descriptor; the server owns the connection.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "control/loop/byte_queue.h"
#include "control/loop/event_loop.h"
#include "control/loop/socket_limits.h"

namespace control {

// Who is at the other end (SO_PEERCRED), and when the last byte of the request at hand was read.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
};
Peer peer_of(int fd);

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  // What happens next, the first that applies.
  enum class State {
    over,       // nothing: everything is done, or the client is gone or over its bounds
    finishing,  // the client reads why it was refused; nothing more is taken from it
    owing,      // the client takes its answer
    busy,       // its request is being worked on
    ready,      // the request that it has sent is served
    half_sent,  // the client sends the rest of its request
    idle,       // the client sends a request
  };

  Connection(Fd fd, const ConnectionLimits& limits);

  int fd() const { return fd_.get(); }
  const Peer& peer() const { return peer_; }
  State state() const { return state_; }
  // When the state was entered; of `owing`, when the client took something last.
  Clock::time_point since() const { return since_; }
  bool served() const { return served_; }  // it had an answer
  // When the client, if it does nothing, has kept us waiting for too long.
  Clock::time_point deadline() const;
  // Bytes held in the buffers.
  std::size_t memory() const { return input_.memory() + output_.memory(); }

  void receive();
  // Of the request that is there, or of its half.
  std::size_t request_size() const { return line_end_ == kNone ? input_.size() : line_end_; }
  bool oversized() const { return request_size() > limits_.request; }
  // The request that is there; it is being worked on from now until answered().
  // Requires: state() == ready.
  std::string take_request();
  // An empty text answers nothing. Requires: a request was taken, and not answered.
  void answered(std::string_view text);

  void flush();
  // The last that is said to this client: nothing more is read from it.
  void refuse(std::string_view text);
  void hang_up();

  // What is done for the request at hand; it ends with this.
  std::shared_ptr<void> work;

  bool wants_input() const;
  bool wants_output() const { return !output_.empty(); }

  // The server's marks: it waits in a queue; what the server counts it with.
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
  Peer peer_;
  ByteQueue input_;
  std::size_t scanned_ = 0;       // no newline before this place in input_
  std::size_t line_end_ = kNone;  // where the request at the front of input_ ends, once all of it is there
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
