#include "tools/ctl/client.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ctl {
namespace {

std::string advice(int error) {
  switch (error) {
    case ENOENT:
      return "; is rncd running, and is this its control.socket? (-s PATH, RNCD_SOCKET)";
    case ECONNREFUSED:
      return "; the socket is a left-over, start rncd";
    case EACCES:
      return "; join the socket's group, or use sudo";
    default:
      return "";
  }
}

constexpr int kNoSlot = -32000;  // for this connection, and nothing of the request was done

Json result_of(const Json& answer) {
  if (const auto error = answer.find("error"); error != answer.end()) {
    throw Refused(error->value("message", "refused without a message"), error->value("data", Json()),
                  error->value("code", 0));
  }
  if (!answer.contains("result")) throw Refused("the answer has neither result nor error", answer);
  return answer["result"];
}

}  // namespace

Client::~Client() { disconnect(); }

void Client::disconnect() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  received_.clear();
}

// Between requests rncd sends nothing but the end of the connection: that of a script that slept for long.
bool Client::was_closed() const {
  pollfd waited{socket_, POLLIN, 0};
  return ::poll(&waited, 1, 0) > 0;
}

Json Client::call(const std::string& method, const Json& params) {
  deadline_ = std::chrono::steady_clock::now() + timeout_;
  if (socket_ >= 0 && was_closed()) disconnect();
  if (socket_ < 0) connect();
  Json request{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}};
  if (!params.is_null()) request["params"] = params;
  // A word that is no UTF-8 is sent with replacements: rncd explains the fault.
  send(request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  for (;;) {
    const auto answer = Json::parse(receive_line(), nullptr, false);
    if (!answer.is_object()) fail("the answer is not a JSON object");
    const auto id = answer.value("id", Json());
    if (id == id_) return result_of(answer);
    if (!id.is_null() || !answer.contains("error")) continue;
    const Json& error = answer["error"];
    if (error.value("code", 0) == kNoSlot) fail(error.value("message", "rncd closed the connection"));
    return result_of(answer);
  }
}

void Client::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof(address.sun_path)) {
    fail("the path has " + std::to_string(path_.size()) + " bytes, a Unix socket's may have " +
         std::to_string(sizeof(address.sun_path) - 1));
  }
  std::copy(path_.begin(), path_.end(), address.sun_path);
  socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) fail(std::strerror(errno));
  // A full backlog makes a non-blocking connect fail at once, so this one blocks, for as long as we may wait.
  const timeval patience{timeout_.count() / 1000, timeout_.count() % 1000 * 1000};
  ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    fail(error == EAGAIN ? "no answer in time" : std::strerror(error) + advice(error));
  }
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
}

void Client::send(const std::string& line) {
  std::size_t sent = 0;
  while (sent < line.size()) {
    const auto n = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      wait_for(POLLOUT);
    } else if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      return;  // refused while we were still talking: the reason may be there to read
    } else if (errno != EINTR) {
      fail(std::strerror(errno));
    }
  }
}

std::string Client::receive_line() {
  for (std::size_t searched = 0;;) {
    if (const auto end = received_.find('\n', searched); end != std::string::npos) {
      auto line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    char chunk[65536];
    const auto n = ::recv(socket_, chunk, sizeof(chunk), 0);
    if (n > 0) {
      received_.append(chunk, static_cast<std::size_t>(n));
    } else if (n == 0 || errno == ECONNRESET) {
      fail("rncd closed the connection");
    } else if (errno == EAGAIN) {
      wait_for(POLLIN);
    } else if (errno != EINTR) {
      fail(std::strerror(errno));
    }
  }
}

void Client::wait_for(short events) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
  pollfd waited{socket_, events, 0};
  const int ready = left.count() <= 0 ? 0 : ::poll(&waited, 1, static_cast<int>(left.count()));
  if (ready == 0) fail("no answer within " + std::to_string(timeout_.count()) + " ms (--timeout)");
}

void Client::fail(const std::string& what) { throw NoConnection(path_ + ": " + what); }

}  // namespace ctl
