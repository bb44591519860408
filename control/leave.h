// The last thing that rncd does with its frames: what it holds is sent before it ends. Belongs to the control
// thread.
#pragma once
#include <chrono>
#include <functional>

#include "control/plane/data_plane.h"

namespace control {

// Frames that rncd has received and neither sent nor dropped.
std::uint64_t frames_held(const dp::FrameAccount& account);

// Split proxies let go first. Then, where the kernel takes the wire over, what is queued leaves at the
// bearers' rates, for modes.drain_timeout at most. Bypass sends the rest, in order, before any later frame;
// then the ports have to take it.
class Leave {
 public:
  using Clock = std::chrono::steady_clock;

  Leave(dp::Runtime& runtime, DataPlane& plane) : runtime_(runtime), plane_(plane) {}

  void begin();
  // All of it takes no longer.
  Clock::duration bound() const;
  // Looks how far it is; false when it is over, be it that nothing is left or that the time is.
  bool poll();
  // Who asks twice does not wait.
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
  // The time of a step is over; the log tells what it waited for.
  void give_up(const char* needed);

  dp::Runtime& runtime_;
  DataPlane& plane_;
  Step step_ = Step::proxies;
  bool hurried_ = false;
  Drained drained_{};
  Clock::time_point until_{};
};

}  // namespace control
