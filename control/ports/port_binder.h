// A thread for operations that take the kernel a while and must not hold up control: closing a dead device
// and opening it again, taking an interface down and bringing it up. Made at the start, so that it is there
// when memory is short; one job at a time.
// Tests: tests/unit/control/ports/link_watch_test.cc
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "control/loop/event_loop.h"

namespace control {

class PortBinder {
 public:
  using Job = std::function<void()>;

  explicit PortBinder(EventLoop& loop);
  // Waits for the job under way.
  ~PortBinder();
  PortBinder(const PortBinder&) = delete;
  PortBinder& operator=(const PortBinder&) = delete;

  bool busy() const { return busy_; }
  // `done` is called on the loop's thread after it. Requires: not busy, and both are there.
  void start(Job job, Job done);

 private:
  void run();
  void on_done();

  EventLoop& loop_;
  Fd finished_;
  Job done_;  // called after the current job; belongs to the loop's thread
  bool busy_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  Job job_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace control
