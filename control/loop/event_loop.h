// The control thread's one event loop: epoll, with a callback a file descriptor. Does not own the
// descriptors.
// Tests: tests/unit/control/loop/log_writer_test.cc
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include <sys/epoll.h>

#include "control/loop/fd.h"

namespace control {

class EventLoop {
 public:
  using Callback = std::function<void(std::uint32_t events)>;

  EventLoop();

  // Level triggered. The callback may add and remove any descriptor, including its own.
  void add(int fd, std::uint32_t events, Callback callback);
  // Requires: the descriptor was added.
  void change(int fd, std::uint32_t events);
  void remove(int fd);

  // Waits for events at most `timeout` and calls their callbacks.
  void run_once(std::chrono::nanoseconds timeout);

 private:
  struct Entry {
    std::uint32_t generation;
    Callback callback;
  };

  int wait(std::span<epoll_event> events, std::chrono::nanoseconds timeout) const;

  Fd epoll_;
  std::uint32_t generation_ = 0;
  std::unordered_map<int, Entry> entries_;
};

}  // namespace control
