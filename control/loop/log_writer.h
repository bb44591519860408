// Writes lines to a descriptor on a thread of its own, so that who logs never waits for who reads: a pipe
// that nobody empties, a terminal that is stopped, a service manager that hangs. What does not fit its buffer
// is dropped and counted. Its owner never destroys it: the thread may be waiting for ever.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace control::log {

class LogWriter {
 public:
  // report(lines): the line that tells how many were dropped since the last such; called on the thread.
  // Throws std::system_error when there is no thread to be had.
  LogWriter(int fd, std::size_t buffer_bytes, std::function<std::string(std::uint64_t)> report);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Takes a line, or drops it. Allocates nothing. Requires: a whole line, with its end.
  void put(std::string_view line) noexcept;
  // Waits until all is written, but not for longer. True when it is.
  bool flush(std::chrono::milliseconds patience);
  // The thread may run where the caller may.
  void share_cpus_of_caller();

  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void run();
  void write_all(const std::string& chunk);

  const int fd_;
  const std::size_t buffer_bytes_;
  const std::function<std::string(std::uint64_t)> report_;
  std::mutex mutex_;
  std::condition_variable work_, idle_;
  std::string buffer_;  // waiting; at most buffer_bytes_
  bool writing_ = false;
  std::uint64_t reported_ = 0;  // of the dropped
  std::atomic<std::uint64_t> dropped_{0};
  std::thread thread_;
};

}  // namespace control::log
