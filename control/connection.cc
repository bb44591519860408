#include "control/connection.h"

#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace control {

Peer peer_of(int fd) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  return {.pid = credentials.pid, .uid = credentials.uid};
}

Connection::Connection(Fd fd, const ConnectionLimits& limits)
    : fd_(std::move(fd)), limits_(limits), peer_(peer_of(fd_.get())) {}

// At most one piece a call, so that a busy client cannot keep the loop from the others.
void Connection::receive() {
  std::array<char, 65536> piece;
  const ssize_t n = ::read(fd_.get(), piece.data(), piece.size());
  if (n > 0) {
    if (!finishing_) input_.append(piece.data(), static_cast<std::size_t>(n));
    peer_.asked = Clock::now();  // nothing is read while a request is worked on
  } else if (n == 0) {
    end_of_input_ = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    broken_ = true;
  }
}

std::optional<std::string> Connection::next_line() {
  if (finishing_) return std::nullopt;
  const std::size_t newline = input_.find('\n', scanned_);
  if (newline != std::string::npos) {
    std::string line = input_.substr(0, newline);
    input_.erase(0, newline + 1);
    scanned_ = 0;
    return line;
  }
  scanned_ = input_.size();
  if (!end_of_input_ || input_.empty()) return std::nullopt;
  scanned_ = 0;
  return std::exchange(input_, {});
}

bool Connection::oversized() const { return !finishing_ && scanned_ > limits_.request; }

void Connection::send(std::string_view text) {
  if (output_.empty()) progress_ = Clock::now();
  output_.append(text).append("\n");
  flush();
  if (output_.size() > limits_.backlog) broken_ = true;
}

void Connection::flush() {
  std::size_t sent = 0;
  while (sent < output_.size()) {
    const ssize_t n = ::send(fd_.get(), output_.data() + sent, output_.size() - sent, MSG_NOSIGNAL);
    if (n < 0) {
      if (errno != EAGAIN && errno != EINTR) broken_ = true;
      break;
    }
    sent += static_cast<std::size_t>(n);
  }
  if (sent == 0) return;
  output_.erase(0, sent);
  progress_ = Clock::now();
  if (finishing_ && output_.empty()) ::shutdown(fd_.get(), SHUT_WR);
}

void Connection::finish() {
  finishing_ = true;
  input_.clear();
  input_.shrink_to_fit();
  progress_ = Clock::now();
  if (output_.empty()) ::shutdown(fd_.get(), SHUT_WR);
}

// While finishing, input is read and thrown away: closing over unread bytes would take the answer from the
// client.
bool Connection::wants_input() const {
  if (end_of_input_ || broken_) return false;
  return finishing_ || (!busy && output_.empty());
}

bool Connection::over(Clock::time_point now) const {
  if (broken_) return true;
  if (!output_.empty() && now - progress_ > limits_.stall) return true;
  if (finishing_) return (end_of_input_ && output_.empty()) || now - progress_ > limits_.linger;
  return end_of_input_ && !busy && input_.empty() && output_.empty();
}

}  // namespace control
