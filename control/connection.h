// One client of the control socket: its buffers, both bounded, and what is left to do for it. Owns the
// descriptor; the server owns the connection.
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "control/event_loop.h"

namespace control {

// Who is at the other end (SO_PEERCRED), and when the last byte of the request at hand was read.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
};
Peer peer_of(int fd);

struct ConnectionLimits {
  std::size_t request = std::size_t{4} << 20;  // bytes of one line
  std::size_t backlog = std::size_t{8} << 20;  // bytes of answers the client has not taken
  std::chrono::seconds stall{30};              // with answers waiting and none taken
  std::chrono::seconds linger{5};              // after a refusal, for the client to read it
};

class Connection {
 public:
  using Clock = std::chrono::steady_clock;

  Connection(Fd fd, const ConnectionLimits& limits);

  int fd() const { return fd_.get(); }
  const Peer& peer() const { return peer_; }

  void receive();
  // The next complete line; at the end of the stream also what came without a newline.
  std::optional<std::string> next_line();
  bool oversized() const;

  void send(std::string_view text);
  void flush();
  // Nothing more is read; what is queued is still sent.
  void finish();

  // A request of this client is being worked on; the next waits.
  bool busy = false;

  bool wants_input() const;
  bool wants_output() const { return !output_.empty(); }
  // Everything is done, or the client is gone, too slow or over its bounds.
  bool over(Clock::time_point now) const;
  void hang_up() { broken_ = true; }

 private:
  Fd fd_;
  const ConnectionLimits& limits_;
  Peer peer_;
  std::string input_;
  std::size_t scanned_ = 0;  // no newline before this place in input_
  std::string output_;
  bool end_of_input_ = false;
  bool finishing_ = false;
  bool broken_ = false;
  Clock::time_point progress_ = Clock::now();  // output last moved, or finish() was called
};

}  // namespace control
