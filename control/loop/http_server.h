// Serves one page over HTTP on a thread of its own, to any number of clients that read as slowly as they like
// or never finish their requests: all wait in one epoll, each for a bounded time, and the oldest is dropped
// if there are too many. A client that sends its request and reads at once is served whatever the others do.
// The thread is limited to a share of a CPU: the page is made once for all pending requests.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "control/loop/cpu_allowance.h"
#include "control/loop/event_loop.h"
#include "dataplane/base/result.h"

namespace control {

// Listens on an address. Requires: checked by the configuration, like "127.0.0.1:9464" or "[::1]:9464".
// Throws std::system_error.
Fd listen_tcp(const std::string& address);

// Checks if the address can be listened on now; the error has the reason and the remedy, in the same words as
// an error of listen_tcp().
dp::Status can_listen(const std::string& address);
dp::Error cannot_listen(const std::string& address, const std::system_error& why);

struct HttpPage {
  std::string path;                   // "/metrics"
  std::string type;                   // its Content-Type
  std::function<std::string()> make;  // called on the server's thread
};

struct HttpLimits {
  std::size_t connections = 64;
  std::size_t request_bytes = 8192;
  std::size_t answer_bytes = std::size_t{16} << 20;  // limit of unread answers over all connections; a single
                                                     // one may exceed it
  std::chrono::milliseconds patience{10'000};        // from accepting a client to its last byte
  CpuAllowance::Limits cpu{};                        // limits of the thread
};

class HttpServer {
 public:
  // Requires: a valid listener and a page.
  HttpServer(Fd listener, HttpPage page, const HttpLimits& limits = {});
  // Closes all connections in any state.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  enum class State : std::uint8_t { asking, asked, reading, answered };
  struct Client {
    Fd fd;
    Clock::time_point deadline;
    State state = State::asking;
    bool ended = false;  // it has half-closed
    std::string request{};
    std::string answer{};
    std::size_t sent = 0;
  };
  using At = std::list<Client>::iterator;

  void run();
  static void tell(const std::exception& e) noexcept;
  void accept_all();
  void on_event(At client, std::uint32_t events);
  // False if the client must be dropped.
  bool receive(Client& client);
  bool send(Client& client);
  void answer_all();
  void answer(At client, const HttpPage& page);
  void rest();
  void make_room(const Client& but);
  void drop(At client);
  std::chrono::milliseconds next_deadline() const;

  EventLoop loop_;
  Fd listener_;
  HttpPage page_;
  HttpLimits limits_;
  Fd stop_;                    // an eventfd
  std::list<Client> clients_;  // oldest first
  CpuAllowance allowance_;     // allowance of the thread
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// The answer to a complete request, including headers. Pure except for making the page.
std::string http_answer(std::string_view request, const HttpPage& page);

}  // namespace control
