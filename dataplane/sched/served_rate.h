// The rate at which one user is served, measured while it has something to send and held while it has not.
// A mean over all time falls while a user is idle: one that is kept small by a window that follows from such
// a mean is idle for longer, and so gets a smaller window yet (dataplane/decisions/086).
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/base/time.h"

namespace dp {

// Bits over backlogged time, both with a memory of kMemory of that time: after so much more of it what was
// measured before counts for half. An outage of the link is backlogged time in which nothing is served.
class ServedRate {
 public:
  static constexpr Duration kMemory{100'000'000};

  // It has something to send from `t` on; nothing changes when it had.
  void begin(Time t) noexcept {
    if (since_ == kNever) since_ = t;
  }
  // Up to `t` it was served with a capacity of so many bits, used or not. Ignored while it is idle.
  void count(double bits, Time t) noexcept {
    if (since_ == kNever) return;
    time_ += static_cast<double>(std::max(t - since_, Duration{}).count());
    since_ = std::max(since_, t);
    bits_ += bits;
    if (time_ <= 0) return;
    rate_ = static_cast<std::uint64_t>(bits_ * 1e9 / time_);
    if (time_ <= kMemoryNs) return;
    bits_ *= kMemoryNs / time_;
    time_ = kMemoryNs;
  }
  // It has nothing to send from here on. What has passed since the last count() is not counted.
  void end() noexcept { since_ = kNever; }
  // Time stood still for so long (mode `block`).
  void postpone(Duration pause) noexcept {
    if (since_ != kNever) since_ += pause;
  }

  // bit/s at the last count(); 0 before the first.
  std::uint64_t rate() const noexcept { return rate_; }

 private:
  static constexpr double kMemoryNs = static_cast<double>(kMemory.count());

  Time since_ = kNever;  // of backlogged time: the end of what is counted; kNever while idle
  double bits_ = 0, time_ = 0;
  std::uint64_t rate_ = 0;
};

}  // namespace dp
