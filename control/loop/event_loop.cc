#include "control/loop/event_loop.h"

#include <array>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>

#include "dataplane/base/expect.h"

namespace control {
namespace {

// Descriptor numbers are reused at once; the generation distinguishes events of the previous one.
std::uint64_t token(int fd, std::uint32_t generation) {
  return std::uint64_t{generation} << 32 | static_cast<std::uint32_t>(fd);
}

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw_errno("epoll_create1");
}

void EventLoop::add(int fd, std::uint32_t events, Callback callback) {
  DP_EXPECT(callback);
  const std::uint32_t generation = ++generation_;
  epoll_event event{};
  event.events = events;
  event.data.u64 = token(fd, generation);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) throw_errno("epoll_ctl add");
  entries_.insert_or_assign(fd, Entry{generation, std::move(callback)});
}

void EventLoop::change(int fd, std::uint32_t events) {
  DP_EXPECT(entries_.contains(fd));
  epoll_event event{};
  event.events = events;
  event.data.u64 = token(fd, entries_.at(fd).generation);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) != 0) throw_errno("epoll_ctl mod");
}

void EventLoop::remove(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  entries_.erase(fd);
}

int EventLoop::wait(std::span<epoll_event> events, std::chrono::nanoseconds timeout) const {
  const auto room = static_cast<int>(events.size());
  const timespec time{timeout / std::chrono::seconds{1}, (timeout % std::chrono::seconds{1}).count()};
  const int n = ::epoll_pwait2(epoll_.get(), events.data(), room, &time, nullptr);
  if (n >= 0 || (errno != ENOSYS && errno != EPERM)) return n;
  // Before Linux 5.11, and in sandboxes that do not know the call, the resolution is milliseconds.
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(timeout);
  return ::epoll_wait(epoll_.get(), events.data(), room, static_cast<int>(whole.count()));
}

void EventLoop::run_once(std::chrono::nanoseconds timeout) {
  std::array<epoll_event, 64> events;
  const int n = wait(events, timeout);
  if (n < 0 && errno != EINTR) throw_errno("epoll_wait");
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
