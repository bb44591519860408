// A thread beside the control thread for work that is pure and cannot be cut in slices: a configuration's
// text, a long request. The control thread owns it, hands work over and takes the end of it back.
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
  // Waits for the work at hand; what has not begun is dropped.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // `work` is done on the thread, unless the client has left before; then poll() calls `then`. Throws
  // std::bad_alloc, and nothing is handed over. Requires: both are there.
  void submit(Client client, std::function<void()> work, std::function<void()> then);
  // Calls `then` of each work that is over, in order. Where a work has thrown, poll() throws the same, most
  // likely std::bad_alloc, and calls neither its `then` nor those behind it. For the control thread.
  void poll();
  // Nothing is under way.
  bool idle() const;

 private:
  struct Item {
    Client client;
    std::function<void()> work;
    std::function<void()> then;
    std::exception_ptr why{};  // the work threw it
  };
  using Items = std::list<Item>;  // goes from one to the other without memory

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
