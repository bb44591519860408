// A thread for what takes the kernel a while and must not hold up control: closing a dead device and opening
// it again. Made at the start, so that it is there when memory is short; one job at a time.
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

  // `done` is called on the loop's thread after each job.
  PortBinder(EventLoop& loop, std::function<void()> done);
  // Waits for the job under way.
  ~PortBinder();
  PortBinder(const PortBinder&) = delete;
  PortBinder& operator=(const PortBinder&) = delete;

  bool busy() const { return busy_; }
  // Requires: not busy, and there is a job.
  void start(Job job);

 private:
  void run();
  void on_done();

  EventLoop& loop_;
  std::function<void()> done_;
  Fd finished_;
  bool busy_ = false;  // the loop's thread's view
  std::mutex mutex_;
  std::condition_variable wake_;
  Job job_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace control
