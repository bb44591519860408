#include "control/loop/event_loop.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/epoll.h>
#include <unistd.h>

namespace control {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Descriptor numbers are reused at once; the generation tells an event of the one before.
std::uint64_t token(int fd, std::uint32_t generation) {
  return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(fd);
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

int Fd::release() { return std::exchange(fd_, -1); }

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) fail("epoll_create1");
}

void EventLoop::add(int fd, std::uint32_t events, Callback callback) {
  const std::uint32_t generation = ++generation_;
  epoll_event event{};
  event.events = events;
  event.data.u64 = token(fd, generation);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl add");
  entries_.insert_or_assign(fd, Entry{generation, std::move(callback)});
}

void EventLoop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = token(fd, entries_.at(fd).generation);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) fail("epoll_ctl mod");
}

void EventLoop::remove(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  entries_.erase(fd);
}

void EventLoop::run_once(std::chrono::milliseconds timeout) {
  std::array<epoll_event, 64> events;
  const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                             static_cast<int>(timeout.count()));
  if (n < 0 && errno != EINTR) fail("epoll_wait");
  for (int i = 0; i < n; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const int fd = static_cast<int>(event.data.u64 & 0xffffffffu);
    const auto entry = entries_.find(fd);
    if (entry == entries_.end() || token(fd, entry->second.generation) != event.data.u64) continue;
    const Callback callback = entry->second.callback;  // it may remove itself
    callback(event.events);
  }
}

}  // namespace control
