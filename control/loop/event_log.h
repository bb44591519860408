// The last events, for those who ask later (event.list): a bounded ring that any thread may add to.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "control/loop/log.h"

namespace control::log {

struct LoggedEvent {
  std::uint64_t number = 0;  // from 1 on
  std::chrono::system_clock::time_point at{};
  Level level = Level::info;
  std::string code{};
  Fields fields{};
};

class EventLog {
 public:
  static constexpr std::size_t kMost = 10'000;
  // The bytes of all codes, names and values together: a request may name many UEs.
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  // Forgets the oldest ones if there are too many. Of an event longer than kMostBytes the fields are left
  // out.
  void add(Level level, std::string_view code, const Fields& fields);

  // The number of the newest event; 0 if there was none.
  std::uint64_t last() const;
  // Calls look(event) for the events behind number `after`, the oldest first, until it returns false. Returns
  // how many behind `after` have been forgotten. No event is added meanwhile: look() must be brief.
  std::uint64_t walk(std::uint64_t after, const std::function<bool(const LoggedEvent&)>& look) const;

 private:
  static std::size_t bytes_of(const LoggedEvent& event);

  mutable std::mutex mutex_;
  std::deque<LoggedEvent> events_;  // numbers without gaps
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
};

// The events of this process. It outlives all threads.
EventLog& events();

}  // namespace control::log
