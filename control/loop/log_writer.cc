#include "control/loop/log_writer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace control::log {
namespace {

// Threads started in this scope block all signals, which are for the thread that waits for them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

LogWriter::LogWriter(int fd, std::size_t buffer_bytes, std::function<std::string(std::uint64_t)> report)
    : fd_(fd), buffer_bytes_(buffer_bytes), report_(std::move(report)) {
  DP_EXPECT(buffer_bytes_ > 0);
  buffer_.reserve(buffer_bytes_);
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

void LogWriter::put(std::string_view line) noexcept {
  DP_EXPECT(line.ends_with('\n'));
  {
    const std::lock_guard lock(mutex_);
    if (buffer_.size() + line.size() > buffer_bytes_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    buffer_.append(line);
  }
  work_.notify_one();
}

bool LogWriter::flush(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, patience, [this] { return buffer_.empty() && !writing_; });
}

void LogWriter::share_cpus_of_caller() {
  cpu_set_t set;
  if (::pthread_getaffinity_np(::pthread_self(), sizeof(set), &set) != 0) return;
  ::pthread_setaffinity_np(thread_.native_handle(), sizeof(set), &set);
}

void LogWriter::run() {
  std::string chunk;
  chunk.reserve(buffer_bytes_);
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return !buffer_.empty(); });
    // Lines were dropped only while the buffer was full: the report comes after its current lines.
    chunk.swap(buffer_);
    const std::uint64_t lost = dropped() - reported_;
    reported_ += lost;
    writing_ = true;
    lock.unlock();
    write_all(chunk);
    chunk.clear();
    if (lost != 0) write_all(report_(lost));
    lock.lock();
    writing_ = false;
    if (buffer_.empty()) idle_.notify_all();
  }
}

// Another process that shares the descriptor may have made it non-blocking. Lines that cannot be written any
// more are dropped.
void LogWriter::write_all(const std::string& chunk) {
  for (std::size_t done = 0; done < chunk.size();) {
    const ssize_t n = ::write(fd_, chunk.data() + done, chunk.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN) {
      pollfd writable{fd_, POLLOUT, 0};
      ::poll(&writable, 1, 1000);
    } else if (errno != EINTR) {
      const auto lines = std::count(chunk.begin() + static_cast<std::ptrdiff_t>(done), chunk.end(), '\n');
      dropped_.fetch_add(static_cast<std::uint64_t>(lines), std::memory_order_relaxed);
      return;
    }
  }
}

}  // namespace control::log
