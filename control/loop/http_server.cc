#include "control/loop/http_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "control/loop/log.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

constexpr int kBacklog = 128;
constexpr std::chrono::milliseconds kPause{100};  // pause if descriptors or memory are exhausted

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Address parse(const std::string& text) {
  const auto colon = text.rfind(':');
  DP_EXPECT(colon != std::string::npos);
  const auto port = htons(static_cast<std::uint16_t>(std::stoul(text.substr(colon + 1))));
  Address address;
  if (text.starts_with('[')) {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = port;
    address.size = sizeof(v6);
    ::inet_pton(AF_INET6, text.substr(1, colon - 2).c_str(), &v6.sin6_addr);
  } else {
    auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    address.size = sizeof(v4);
    ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &v4.sin_addr);
  }
  return address;
}

std::chrono::nanoseconds thread_cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

bool is_whole(const std::string& request) {
  return request.find("\r\n\r\n") != std::string::npos || request.find("\n\n") != std::string::npos;
}

}  // namespace

Fd listen_tcp(const std::string& text) {
  const Address address = parse(text);
  Fd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!fd) throw_errno("socket");
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (address.storage.ss_family == AF_INET6) {
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  }
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0)
    throw_errno("bind");
  if (::listen(fd.get(), kBacklog) != 0) throw_errno("listen");
  return fd;
}

dp::Error cannot_listen(const std::string& address, const std::system_error& why) {
  const int error = why.code().value();
  return {
      fmt::format(
          "metrics.listen: cannot listen on {} ({}); choose an address of this host and a port that is free, "
          "e.g. --set metrics.listen=127.0.0.1:9465, or off for none",
          address, why.what()),
      error == EACCES || error == EPERM ? 5 : 1};
}

dp::Status can_listen(const std::string& address) try {
  listen_tcp(address);
  return dp::ok();
} catch (const std::system_error& why) {
  return cannot_listen(address, why);
}

HttpServer::HttpServer(Fd listener, HttpPage page, const HttpLimits& limits)
    : listener_(std::move(listener)),
      page_(std::move(page)),
      limits_(limits),
      stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      allowance_(limits.cpu) {
  DP_EXPECT(listener_ && page_.make && limits_.cpu.share > 0);
  if (!stop_) throw_errno("eventfd");
  loop_.add(stop_.get(), EPOLLIN, [this](std::uint32_t) { stopping_ = true; });
  loop_.add(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_all(); });
  thread_ = std::thread([this] { run(); });
}

HttpServer::~HttpServer() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void HttpServer::tell(const std::exception& e) noexcept {
  try {
    log::warning(Event::metrics_trouble, {{"error", e.what()}});
  } catch (...) {
    // No memory for a log line either.
  }
}

void HttpServer::run() {
  bool troubled = false;
  while (!stopping_) {
    try {
      loop_.run_once(next_deadline());
      answer_all();
      while (!clients_.empty() && clients_.front().deadline <= Clock::now()) drop(clients_.begin());
      troubled = false;
      rest();
    } catch (const std::exception& e) {
      // No descriptor, most likely: the oldest goes, so that there is an end to it. Where it is memory that
      // is missing, control ends soon (control/host/memory_reserve.h).
      if (!clients_.empty()) drop(clients_.begin());
      if (!std::exchange(troubled, true)) tell(e);
      std::this_thread::sleep_for(kPause);
    }
  }
}

// New clients wait in the kernel meanwhile.
void HttpServer::rest() {
  const auto rest = allowance_.rest(thread_cpu_time(), Clock::now().time_since_epoch());
  if (rest.count() == 0) return;
  pollfd stop{stop_.get(), POLLIN, 0};
  const timespec time{rest / std::chrono::seconds{1}, (rest % std::chrono::seconds{1}).count()};
  ::ppoll(&stop, 1, &time, nullptr);
}

std::chrono::milliseconds HttpServer::next_deadline() const {
  if (clients_.empty()) return limits_.patience;
  const auto has_asked = [](const Client& client) { return client.state == State::asked; };
  if (std::ranges::any_of(clients_, has_asked)) return {};  // failed to make the page
  const auto left = clients_.front().deadline - Clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds{0});
}

void HttpServer::accept_all() {
  for (;;) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
      throw_errno("accept");
    if (!fd) return;
    if (clients_.size() >= limits_.connections) drop(clients_.begin());
    const int number = fd.get();
    const At client =
        clients_.emplace(clients_.end(), Client{std::move(fd), Clock::now() + limits_.patience});
    try {
      loop_.add(number, EPOLLIN, [this, client](std::uint32_t events) { on_event(client, events); });
    } catch (...) {
      clients_.erase(client);
      throw;
    }
  }
}

void HttpServer::drop(At client) {
  loop_.remove(client->fd.get());
  clients_.erase(client);
}

void HttpServer::on_event(At client, std::uint32_t events) {
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0 && !receive(*client)) return drop(client);
  if (client->state == State::asking && is_whole(client->request)) {
    client->state = State::asked;
    loop_.change(client->fd.get(), 0);
  }
  if (client->state == State::reading && !send(*client)) return drop(client);
  // Half closed is well where there is an answer to wait for.
  if (client->ended && client->state != State::reading && client->state != State::asked) drop(client);
}

bool HttpServer::receive(Client& client) {
  std::array<char, 4096> chunk;
  for (;;) {
    const ssize_t got = ::recv(client.fd.get(), chunk.data(), chunk.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) {
      client.ended = true;
      return true;
    }
    if (client.state != State::asking) continue;
    client.request.append(chunk.data(), static_cast<std::size_t>(got));
    if (client.request.size() > limits_.request_bytes) return false;
  }
}

// The page is made after all of these requests.
void HttpServer::answer_all() {
  std::optional<std::string> made;
  const auto make = [&] {
    if (!made) made = page_.make();
    return *made;
  };
  const HttpPage page{page_.path, page_.type, make};
  for (At client = clients_.begin(); client != clients_.end();) {
    const bool asked = client->state == State::asked;
    if (asked) answer(client, page);
    const bool gone = asked && !send(*client);
    const At next = std::next(client);
    if (gone) drop(client);
    client = next;
  }
}

void HttpServer::answer(At client, const HttpPage& page) {
  client->answer = http_answer(client->request, page);
  client->state = State::reading;
  std::string().swap(client->request);
  make_room(*client);
  loop_.change(client->fd.get(), EPOLLOUT);
}

// Drops the oldest that have not read their answer.
void HttpServer::make_room(const Client& but) {
  std::size_t held = 0;
  for (const Client& client : clients_) held += client.answer.size();
  for (At at = clients_.begin(); at != clients_.end() && held > limits_.answer_bytes;) {
    const At next = std::next(at);
    const std::size_t size = at->answer.size();
    if (&*at != &but && size != 0) {
      drop(at);
      held -= size;
    }
    at = next;
  }
}

bool HttpServer::send(Client& client) {
  while (client.sent < client.answer.size()) {
    const ssize_t n = ::send(client.fd.get(), client.answer.data() + client.sent,
                             client.answer.size() - client.sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    client.sent += static_cast<std::size_t>(n);
  }
  // Closed only after the client closes: unread input would turn the end of the answer into a reset.
  std::string().swap(client.answer);
  client.state = State::answered;
  ::shutdown(client.fd.get(), SHUT_WR);
  loop_.change(client.fd.get(), EPOLLIN);
  return true;
}

}  // namespace control
