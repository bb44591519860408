// Keeps a thread to a share of one CPU: unused time is saved up to a limit, and may be spent at once.
// Tests: tests/unit/control/loop/http_server_test.cc
#pragma once
#include <algorithm>
#include <chrono>

namespace control {

class CpuAllowance {
 public:
  using Duration = std::chrono::nanoseconds;

  struct Limits {
    double share = 0.2;                    // share of one CPU; above 0
    std::chrono::milliseconds saved{200};  // saved CPU time: the limit, and the initial value
  };

  explicit CpuAllowance(const Limits& limits) : limits_(limits), left_(limits.saved) {}

  // The time for which the thread must rest now; 0: none. `used` is its CPU time so far, `now` any clock that
  // runs on while it rests.
  Duration rest(Duration used, Duration now) {
    const auto gained = std::chrono::duration_cast<Duration>(limits_.share * (now - now_));
    left_ = std::min<Duration>(limits_.saved, left_ + gained) - (used - used_);
    used_ = used;
    now_ = now;
    return left_ >= Duration{0} ? Duration{0} : std::chrono::duration_cast<Duration>(-left_ / limits_.share);
  }

 private:
  Limits limits_;
  Duration left_;
  Duration used_{0}, now_{0};
};

}  // namespace control
