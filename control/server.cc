#include "control/server.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/codec.h"
#include "control/log.h"

namespace control {

Server::Server(EventLoop& loop, Fd listener, Handler handler, const ServerLimits& limits)
    : loop_(loop), listener_(std::move(listener)), handler_(std::move(handler)), limits_(limits) {
  loop_.add(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
}

Server::~Server() {
  *self_ = nullptr;
  stop_listening();
  for (const auto& [fd, connection] : connections_) loop_.remove(fd);
}

void Server::stop_listening() {
  if (!listener_) return;
  loop_.remove(listener_.get());
  listener_ = Fd();
}

void Server::accept_all() {
  for (;;) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      if (errno != EAGAIN && errno != EINTR) log::warning("accept_failed", {{"error", std::strerror(errno)}});
      return;
    }
    welcome(std::move(fd));
  }
}

void Server::welcome(Fd fd) {
  if (connections_.size() >= limits_.connections) {
    const std::string refusal =
        rpc::encode_fault(nullptr, {rpc::kTooManyConnections, std::to_string(limits_.connections) +
                                                                  " connections are open, the most that are "
                                                                  "taken; close one and try again"}) +
        "\n";
    if (::send(fd.get(), refusal.data(), refusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
    return;
  }
  const int number = fd.get();
  const auto connection = std::make_shared<Connection>(std::move(fd), limits_.connection);
  connections_[number] = connection;
  loop_.add(number, EPOLLIN, [this, connection](std::uint32_t events) { on_event(connection, events); });
}

void Server::on_event(const Shared& connection, std::uint32_t events) {
  if (events & EPOLLOUT) connection->flush();
  if (events & EPOLLIN) connection->receive();
  if (events & (EPOLLHUP | EPOLLERR) && !(events & EPOLLIN)) connection->hang_up();
  serve(connection);
}

// Hands requests over one at a time; a reply that comes at once lets the loop go on, a later one calls here
// again.
void Server::serve(const Shared& connection) {
  while (!connection->busy && !connection->wants_output()) {
    std::optional<std::string> line = connection->next_line();
    if (!line || line->size() > limits_.connection.request) {
      if (line || connection->oversized()) {
        connection->send(rpc::encode_fault(
            nullptr, {rpc::kInvalidRequest, "the request is longer than " +
                                                std::to_string(limits_.connection.request) + " bytes"}));
        connection->finish();
      }
      break;
    }
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    connection->busy = true;
    auto in_call = std::make_shared<bool>(true);
    handler_(std::move(*line), connection->peer(),
             [self = self_, weak = std::weak_ptr(connection), in_call](std::string answer) {
               const Shared alive = weak.lock();
               if (*self == nullptr || !alive) return;
               alive->busy = false;
               if (!answer.empty()) alive->send(answer);
               if (!*in_call) (*self)->serve(alive);
             });
    *in_call = false;
  }
  settle(connection);
}

// Asks the loop for what the connection waits for now, or closes it.
void Server::settle(const Shared& connection) {
  const int fd = connection->fd();
  if (!connections_.contains(fd)) return;
  if (connection->over(Connection::Clock::now())) return close(fd);
  std::uint32_t events = 0;
  if (connection->wants_input()) events |= EPOLLIN;
  if (connection->wants_output()) events |= EPOLLOUT;
  loop_.change(fd, events);
}

void Server::close(int fd) {
  loop_.remove(fd);
  connections_.erase(fd);
}

void Server::tick() {
  const auto now = Connection::Clock::now();
  std::vector<int> over;
  for (const auto& [fd, connection] : connections_) {
    if (connection->over(now)) over.push_back(fd);
  }
  for (const int fd : over) close(fd);
}

Fd listen_on(const std::string& path, std::uint32_t mode) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
  }
  path.copy(address.sun_path, path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  ::unlink(path.c_str());  // of a process that is gone: Instance::claim has looked, and holds the lock
  // No client can connect before listen(), so there is no moment with a wrong mode.
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::chmod(path.c_str(), mode) != 0 || ::listen(fd.get(), 256) != 0) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  return fd;
}

}  // namespace control
