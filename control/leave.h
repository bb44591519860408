// The last thing that rncd does with its frames: those that it holds are sent before it ends. Belongs to the
// control thread.
#pragma once
#include <chrono>
#include <functional>

#include "control/plane/modes.h"

namespace control {

// Frames that rncd has received and neither sent nor dropped.
std::uint64_t frames_held(const dp::FrameAccount& account);

// Split proxies let go first. Then, if the kernel takes the wire over, queued SDUs leave at the bearers'
// rates, for modes.drain_timeout at most. Bypass sends the rest, in order, before any later frame; then the
// ports have to take it.
class Leave {
 public:
  using Clock = std::chrono::steady_clock;

  Leave(dp::Runtime& runtime, Modes& modes) : runtime_(runtime), modes_(modes) {}

  void begin();
  // The longest time that all steps take together.
  Clock::duration bound() const;
  // Checks the progress; false when it is over, because nothing is left or because the time is up.
  bool poll();
  // A second request to stop: ends the waiting.
  void hurry();
  bool hurried() const { return hurried_; }
  // Nothing was left behind. Requires: it is over.
  bool well() const { return step_ == Step::done; }

 private:
  enum class Step : std::uint8_t { proxies, rates, flush, ports, done, late };

  bool kernel_takes_over() const;
  void on_drained(const Drained& drained);
  void go_to(Step step, Clock::duration bound);
  void flush();
  // The time of a step is over; logs the condition that it waited for.
  void give_up(const char* needed);

  dp::Runtime& runtime_;
  Modes& modes_;
  Step step_ = Step::proxies;
  bool hurried_ = false;
  Drained drained_{};
  Clock::time_point until_{};
};

}  // namespace control
