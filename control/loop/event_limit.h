// Events that may come in any number: the first ones of each second are logged by themselves, of the others
// the number. Belongs to one thread.
// Tests: tests/unit/control/loop/event_log_test.cc
#pragma once
#include <chrono>
#include <cstdint>
#include <utility>

#include "control/loop/log.h"

namespace control::log {

class EventLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMost = 10;  // events a second

  // `more` has the number of those that were left out in a second.
  EventLimit(Level level, Event one, Event more) : level_(level), one_(one), more_(more) {}

  // fields(): makes those of the event; not called if it is left out.
  template <class MakeFields>
  void write(Clock::time_point now, MakeFields&& fields) {
    tick(now);
    if (++logged_ > kMost) {
      ++left_out_;
    } else {
      log::write(level_, one_, fields());
    }
  }
  // Begins another second if it is time.
  void tick(Clock::time_point now) {
    if (now - second_ < std::chrono::seconds(1)) return;
    if (left_out_ != 0) log::write(level_, more_, {{"more", left_out_}});
    second_ = now;
    logged_ = left_out_ = 0;
  }

 private:
  Level level_;
  Event one_, more_;
  Clock::time_point second_{};  // beginning of the present second
  std::uint64_t logged_ = 0, left_out_ = 0;
};

}  // namespace control::log
