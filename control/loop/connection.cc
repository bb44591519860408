#include "control/loop/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace control {

Peer peer_of(int fd) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return {.pid = 0, .uid = static_cast<uid_t>(-1)};  // no user, and not root
  }
  return {.pid = credentials.pid, .uid = credentials.uid};
}

Connection::Connection(Fd fd, const ConnectionLimits& limits)
    : fd_(std::move(fd)), limits_(limits), peer_(peer_of(fd_.get())) {
  peer_.connection = Client(there_);
}

// Reads at most one piece a call, so that a busy client does not delay the others.
void Connection::receive() {
  std::array<char, 65536> piece;
  const ssize_t n = ::read(fd_.get(), piece.data(), piece.size());
  if (n > 0) {
    if (!finishing_) input_.append({piece.data(), static_cast<std::size_t>(n)});
    peer_.asked = Clock::now();  // nothing is read while a request is processed
  } else if (n == 0) {
    end_of_input_ = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    broken_ = true;
  }
  scan();
  update();
}

// Finds the end of the first request, after empty lines; the end of the stream ends a request too.
void Connection::scan() {
  while (line_end_ == kNone && !input_.empty()) {
    std::size_t end = input_.view().find('\n', scanned_);
    if (end == kNone && end_of_input_) end = input_.size();
    if (end == kNone) {
      scanned_ = input_.size();
      return;
    }
    scanned_ = 0;
    if (input_.view().substr(0, end).find_first_not_of(" \t\r") != kNone) {
      line_end_ = end;
    } else {
      input_.take(std::min(end + 1, input_.size()));
    }
  }
}

std::string Connection::take_request() {
  DP_EXPECT(state_ == State::ready);
  std::string line(input_.view().substr(0, line_end_));
  input_.take(std::min(line_end_ + 1, input_.size()));
  line_end_ = kNone;
  scan();
  busy_ = true;
  update();
  return line;
}

void Connection::answered(std::string_view text) {
  DP_EXPECT(busy_);
  busy_ = false;
  served_ = true;
  if (!text.empty()) send(text);
  update();
}

void Connection::send(std::string_view text) {
  output_.append(text);
  output_.append("\n");
  flush();
  if (output_.size() > limits_.backlog) broken_ = true;
}

void Connection::flush() {
  bool progress = false;
  while (!output_.empty() && !broken_) {
    const std::string_view text = output_.view();
    const ssize_t n = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) {
      if (errno != EAGAIN && errno != EINTR) broken_ = true;
      break;
    }
    output_.take(static_cast<std::size_t>(n));
    progress = true;
  }
  if (finishing_ && output_.empty()) ::shutdown(fd_.get(), SHUT_WR);
  update(progress);
}

void Connection::refuse(std::string_view text) {
  finishing_ = true;
  input_.clear();
  line_end_ = kNone;
  send(text);
  update();
}

void Connection::hang_up() {
  broken_ = true;
  update();
}

// While finishing, input is read and discarded: closing with unread bytes would lose the client's answer.
bool Connection::wants_input() const {
  if (end_of_input_) return false;
  return state_ == State::finishing || state_ == State::half_sent || state_ == State::idle;
}

Connection::State Connection::next_state() const {
  if (broken_) return State::over;
  if (finishing_) return end_of_input_ && output_.empty() ? State::over : State::finishing;
  if (!output_.empty()) return State::owing;
  if (busy_) return State::busy;
  if (line_end_ != kNone) return State::ready;
  if (end_of_input_) return State::over;
  return input_.empty() ? State::idle : State::half_sent;
}

void Connection::update(bool progress) {
  const State next = next_state();
  if (next != state_ || (progress && next == State::owing)) since_ = Clock::now();
  state_ = next;
}

Connection::Clock::time_point Connection::deadline() const {
  switch (state_) {
    case State::over:
      return since_;
    case State::finishing:
      return since_ + limits_.linger;
    case State::owing:
      return since_ + limits_.stall;
    case State::half_sent:
      return since_ + limits_.half_sent;
    case State::idle:
      return since_ + limits_.idle;
    default:
      return Clock::time_point::max();
  }
}

}  // namespace control
