// Keeps a thread to a share of one CPU: what it has not used is saved up to a limit, and spent at once.
#pragma once
#include <algorithm>
#include <chrono>

namespace control {

class CpuAllowance {
 public:
  using Duration = std::chrono::nanoseconds;

  struct Limits {
    double share = 0.2;                    // of a CPU; above 0
    std::chrono::milliseconds saved{200};  // of CPU time, at most and to begin with
  };

  explicit CpuAllowance(const Limits& limits) : limits_(limits), left_(limits.saved) {}

  // The time that the thread has to rest now; 0: none. `used` is its CPU time so far, `now` any clock that
  // goes on while it rests.
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
