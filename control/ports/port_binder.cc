#include "control/ports/port_binder.h"

#include <cerrno>
#include <cstdint>
#include <exception>
#include <utility>

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "dataplane/base/expect.h"

namespace control {

PortBinder::PortBinder(EventLoop& loop) : loop_(loop), finished_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!finished_) throw_errno("eventfd");
  loop_.add(finished_.get(), EPOLLIN, [this](std::uint32_t) { on_done(); });
  thread_ = std::thread([this] { run(); });
  ::pthread_setname_np(thread_.native_handle(), "rncd-binder");
}

PortBinder::~PortBinder() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  loop_.remove(finished_.get());
}

void PortBinder::start(Job job, Job done) {
  DP_EXPECT(!busy_ && job && done);
  busy_ = true;
  done_ = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
  }
  wake_.notify_one();
}

void PortBinder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || job_; });
    if (stop_) return;
    const Job job = std::exchange(job_, nullptr);
    lock.unlock();
    job();
    const std::uint64_t one = 1;
    if (::write(finished_.get(), &one, sizeof(one)) < 0) std::terminate();  // cannot overflow
    lock.lock();
  }
}

void PortBinder::on_done() {
  std::uint64_t count = 0;
  if (::read(finished_.get(), &count, sizeof(count)) < 0) return;
  busy_ = false;
  std::exchange(done_, nullptr)();
}

}  // namespace control
