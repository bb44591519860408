#include "control/rpc/server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "control/loop/log.h"
#include "control/rpc/codec.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

constexpr int kAcceptsATurn = 16;
constexpr std::chrono::seconds kTellEvery{10};  // least time between two log entries about cut clients

std::string refusal(int code, const std::string& text) { return rpc::encode_fault(nullptr, {code, text}); }

// True if the connection waits for its client, and no client at work would miss it.
bool may_be_evicted(const Connection& connection) {
  constexpr std::chrono::seconds kFresh{5};  // with an answer that the client may be reading
  switch (connection.state()) {
    case Connection::State::idle:
    case Connection::State::half_sent:
    case Connection::State::finishing:
      return true;
    case Connection::State::owing:
      return connection.since() + kFresh < Connection::Clock::now();
    default:
      return false;
  }
}

std::string whole_mib(std::size_t bytes) { return fmt::format("{} MiB", bytes / kMiB); }

std::string seconds(std::chrono::seconds s) { return fmt::format("{} s", s.count()); }

}  // namespace

Server::Server(EventLoop& loop, Fd listener, Handler handler, const ServerLimits& limits,
               std::string_view name)
    : loop_(loop),
      handler_(std::move(handler)),
      limits_(limits),
      turns_(loop, limits_, [this](const Shared& connection) { start(connection); }) {
  stats_.socket = name;
  listen(std::move(listener));
}

Server::~Server() {
  *self_ = nullptr;
  stop_listening();
  for (const auto& [fd, connection] : connections_) loop_.remove(fd);
}

void Server::listen(Fd listener) {
  stop_listening();
  listener_ = std::move(listener);
  paused_ = false;
  loop_.add(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

void Server::stop_listening() {
  if (!listener_) return;
  loop_.remove(listener_.get());
  listener_ = Fd();
}

// Accepts a few a turn: a client that connects without end keeps nobody from being served.
void Server::accept_some() {
  for (int i = 0; i < kAcceptsATurn; ++i) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd) {
      welcome(std::move(fd));
    } else if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) {
      return;
    } else {
      // The client stays in the backlog, and would wake the loop again and again.
      log::warning(Event::accept_failed, {{"socket", stats_.socket}, {"error", std::strerror(errno)}});
      paused_ = true;
      return loop_.change(listener_.get(), 0);
    }
  }
}

void Server::welcome(Fd fd) {
  const int number = fd.get();
  const auto connection = std::make_shared<Connection>(std::move(fd), limits_.connection);
  if (!make_room_for(*connection)) return;
  connections_[number] = connection;
  stats_.connections = connections_.size();
  loop_.add(number, EPOLLIN, [this, connection](std::uint32_t events) { on_event(connection, events); });
}

// False: there is no room, and the newcomer has been notified.
bool Server::make_room_for(Connection& newcomer) {
  const uid_t uid = newcomer.peer().uid;
  const Admission admission = admit(uid, is_owner(uid), places(may_be_evicted), limits_);
  if (admission.evicted) {
    cut(*admission.evicted, Cut::evicted,
        fmt::format("closed: of the {} connections that are taken this one had waited longest for its "
                    "client, and another needed a place; connect again",
                    limits_.connections));
  }
  if (admission.admitted) return true;
  ++stats_[Cut::refused];
  newcomer.refuse(refusal(rpc::kTooManyConnections, admission.refusal));
  return false;
}

void Server::on_event(const Shared& connection, std::uint32_t events) {
  if (events & EPOLLOUT) connection->flush();
  if (events & EPOLLIN) connection->receive();
  if (events & (EPOLLHUP | EPOLLERR) && !(events & EPOLLIN)) {
    // Requests that a client sent before it left are still served, if they need not wait.
    const bool soon = connection->state() == State::ready && turns_.comes_soon(*connection);
    if (!soon) connection->hang_up();
  }
  offer(connection);
  settle(connection);
}

// To be called whenever the connection may have become ready: then its request is queued.
void Server::offer(const Shared& connection) {
  const State state = connection->state();
  if ((state == State::ready || state == State::half_sent) && connection->oversized()) {
    connection->refuse(
        refusal(rpc::kInvalidRequest,
                fmt::format("the request is longer than {} bytes, the most that are taken; send it in parts",
                            limits_.connection.request)));
  } else if (state == State::ready) {
    turns_.queue(connection);
  }
}

// Requires: the connection is ready.
void Server::start(const Shared& connection) {
  DP_EXPECT(connection->state() == State::ready);
  const auto ticket = turns_.begin(*connection);
  auto in_call = std::make_shared<bool>(true);
  std::string request = connection->take_request();
  connection->work =
      handler_(std::move(request), connection->peer(),
               [self = self_, weak = std::weak_ptr(connection), ticket, in_call](const std::string& answer) {
                 ticket->end();
                 const Shared alive = weak.lock();
                 if (*self == nullptr || !alive) return;
                 alive->answered(answer);
                 if (*in_call) return;
                 alive->work.reset();  // the caller holds it, too
                 (*self)->offer(alive);
                 (*self)->settle(alive);
               });
  *in_call = false;
  offer(connection);
  settle(connection);
}

// Registers with the loop the events that the connection waits for now, or closes it.
void Server::settle(const Shared& connection) {
  const int fd = connection->fd();
  const auto at = connections_.find(fd);
  if (at == connections_.end() || at->second != connection) return;
  if (connection->state() == State::over) return close(fd);
  std::uint32_t events = 0;
  if (connection->wants_input()) events |= EPOLLIN;
  if (connection->wants_output()) events |= EPOLLOUT;
  loop_.change(fd, events);
  stats_.memory += connection->memory() - std::exchange(connection->counted, connection->memory());
  if (stats_.memory > limits_.memory) relieve();
}

void Server::relieve() {
  while (stats_.memory > limits_.memory) {
    const auto fd = heaviest(places([](const Connection& c) { return c.state() != State::busy; }));
    if (!fd) return;
    cut(*fd, Cut::memory,
        fmt::format(
            "closed: the connections of this socket together held more than {} of requests and answers, and "
            "this one held {} bytes; send requests in one go, read answers at once, and try again",
            whole_mib(limits_.memory), connections_[*fd]->memory()));
  }
}

std::vector<Place> Server::places(bool (*evictable)(const Connection&)) const {
  constexpr std::chrono::seconds kLately{1};
  const auto moment_ago = Connection::Clock::now() - kLately;
  std::vector<Place> places;
  places.reserve(connections_.size());
  for (const auto& [fd, connection] : connections_) {
    const uid_t uid = connection->peer().uid;
    places.push_back({fd, uid, is_owner(uid), evictable(*connection), connection->since(),
                      connection->memory(), connection->served() && connection->since() > moment_ago});
  }
  return places;
}

// Closes the connection with the reason as the last line that the client reads, if it can take one at once.
void Server::cut(int fd, Cut why, const std::string& text) {
  ++stats_[why];
  connections_.at(fd)->refuse(refusal(rpc::kTooManyConnections, text));
  close(fd);
}

// Ends the work for the connection too, though somebody may still hold it.
void Server::close(int fd) {
  const auto at = connections_.find(fd);
  DP_EXPECT(at != connections_.end() && stats_.memory >= at->second->counted);
  stats_.memory -= at->second->counted;
  loop_.remove(fd);
  at->second->work.reset();
  connections_.erase(at);
  stats_.connections = connections_.size();
}

void Server::tick() {
  const auto now = Connection::Clock::now();
  if (std::exchange(paused_, false) && listener_) loop_.change(listener_.get(), EPOLLIN);
  std::vector<Shared> late;
  for (const auto& [fd, connection] : connections_) {
    if (connection->deadline() <= now) late.push_back(connection);
  }
  const ConnectionLimits& limits = limits_.connection;
  for (const Shared& connection : late) {
    const int fd = connection->fd();
    switch (connection->state()) {
      case State::half_sent:
        cut(fd, Cut::half_sent,
            "closed: a request was begun and not ended within " + seconds(limits.half_sent) +
                "; a request is one line, ended by a newline");
        break;
      case State::idle:
        cut(fd, Cut::idle, "closed: nothing was asked for " + seconds(limits.idle) + "; connect again");
        break;
      default:
        if (connection->state() == State::owing) ++stats_[Cut::stalled];
        close(fd);
    }
  }
  tell_of_cuts(now);
}

// Logs in one line, and not often: a client that floods the socket does not flood the log.
void Server::tell_of_cuts(Connection::Clock::time_point now) {
  if (now < tell_next_) return;
  log::Fields fields{{"socket", stats_.socket}};
  for (std::size_t i = 0; i < kCutNames.size(); ++i) {
    if (i == static_cast<std::size_t>(Cut::idle) || stats_.cut[i] == told_.cut[i]) continue;
    fields.emplace_back(kCutNames[i], stats_.cut[i] - told_.cut[i]);
  }
  if (fields.size() == 1) return;
  log::warning(Event::clients_cut, fields);
  told_ = stats_;
  tell_next_ = now + kTellEvery;
}

Fd listen_on(const std::string& path, std::uint32_t mode, std::optional<gid_t> group) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
  }
  path.copy(address.sun_path, path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  // The socket belongs to a process that is gone: Instance::claim has looked, and holds the lock.
  struct stat stale {};
  if (::lstat(path.c_str(), &stale) == 0 && S_ISSOCK(stale.st_mode)) ::unlink(path.c_str());
  // No client can connect before listen(), so there is no moment with a wrong mode.
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      (group && ::lchown(path.c_str(), static_cast<uid_t>(-1), *group) != 0) ||
      ::chmod(path.c_str(), mode) != 0 || ::listen(fd.get(), 256) != 0) {
    throw_errno(path);
  }
  return fd;
}

}  // namespace control
