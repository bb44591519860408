// A background thread for pure work that cannot be split into slices: a configuration's text, a long request.
// The control thread owns it, submits work and collects its completion.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "control/loop/client.h"

namespace control {

class Background {
 public:
  Background() = default;
  // Waits for the running work; drops work that has not begun.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Runs `work` on the thread, unless the client has left before; then poll() calls `then`. Throws
  // std::bad_alloc without submitting. Requires: both functions are not empty.
  void submit(Client client, std::function<void()> work, std::function<void()> then);
  // Calls `then` of all completed work, in order. If a work has thrown, poll() rethrows that exception, most
  // likely std::bad_alloc, and calls neither its `then` nor later ones. For the control thread.
  void poll();
  // True if no work is pending.
  bool idle() const;

 private:
  struct Item {
    Client client;
    std::function<void()> work;
    std::function<void()> then;
    std::exception_ptr why{};  // exception of the work
  };
  using Items = std::list<Item>;  // moves between lists without allocation

  static void give_way();
  static void do_work(Item& item) noexcept;
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Items waiting_;
  Items over_;
  bool working_ = false;
  bool stopping_ = false;
  std::thread thread_{[this] { run(); }};  // last: it uses the others
};

}  // namespace control
