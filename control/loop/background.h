// A thread beside the control thread for work that is pure and cannot be cut in slices: a configuration's
// text, a long request. The control thread owns it, hands work over and takes the end of it back.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
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

  // `work` is done on the thread, unless the client has left before; then poll() calls `then`. Requires: both
  // are there, and `work` does not throw.
  void submit(Client client, std::function<void()> work, std::function<void()> then);
  // Calls what is due. For the control thread.
  void poll();
  // Nothing is under way.
  bool idle() const;

 private:
  struct Item {
    Client client;
    std::function<void()> work;
    std::function<void()> then;
  };

  static void give_way();
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  std::deque<Item> over_;
  bool working_ = false;
  bool stopping_ = false;
  std::thread thread_{[this] { run(); }};  // last: it uses the others
};

}  // namespace control
