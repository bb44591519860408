// Writes lines to a descriptor on a thread of its own, so that logging never waits for the reader: a pipe
// that is not read, a stopped terminal, a hanging service manager. Lines that do not fit into its buffer are
// dropped and counted. Its owner never destroys it: the thread may block for ever.
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
  // report(lines): makes the line with the number of lines dropped since the last report; called on the
  // thread. Throws std::system_error if there can be no thread.
  LogWriter(int fd, std::size_t buffer_bytes, std::function<std::string(std::uint64_t)> report);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Queues or drops a line. Allocates nothing. Requires: a whole line, with its end.
  void put(std::string_view line) noexcept;
  // Waits until everything is written, at most `patience`. True if it is.
  bool flush(std::chrono::milliseconds patience);
  // Gives the thread the caller's CPU affinity.
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
  std::string buffer_;  // queued lines; at most buffer_bytes_
  bool writing_ = false;
  std::uint64_t reported_ = 0;  // number of dropped lines reported
  std::atomic<std::uint64_t> dropped_{0};
  std::thread thread_;
};

}  // namespace control::log
