#include "control/loop/event_log.h"

#include <algorithm>
#include <utility>

namespace control::log {

std::size_t EventLog::bytes_of(const LoggedEvent& event) {
  std::size_t sum = event.code.size();
  for (const Field& field : event.fields) sum += field.key().size() + field.value().size();
  return sum;
}

void EventLog::add(Level level, std::string_view code, const Fields& fields) {
  LoggedEvent event{0, std::chrono::system_clock::now(), level, std::string(code), fields};
  const std::size_t bytes = bytes_of(event);
  const std::lock_guard lock(mutex_);
  event.number = ++last_;
  if (bytes > kMostBytes) event.fields = {{"left_out", bytes}};
  bytes_ += bytes_of(event);
  events_.push_back(std::move(event));
  while (events_.size() > kMost || bytes_ > kMostBytes) {
    bytes_ -= bytes_of(events_.front());
    events_.pop_front();
  }
}

std::uint64_t EventLog::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

std::uint64_t EventLog::walk(std::uint64_t after, const std::function<bool(const LoggedEvent&)>& look) const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t first = last_ - events_.size();  // the number before the oldest one
  const std::uint64_t from = std::max(after, first);
  for (std::size_t i = from - first; i < events_.size(); ++i) {
    if (!look(events_[i])) break;
  }
  return after < first ? first - after : 0;
}

EventLog& events() {
  static EventLog& instance = *new EventLog;
  return instance;
}

}  // namespace control::log
