// The rate at which one user is served, measured while it is backlogged and held while it is idle. A mean
// over all time would fall while the user is idle: a window computed from it would make the user idle for
// longer, which reduces the window further (dataplane/decisions/086).
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/base/time.h"

namespace dp {

// Bits over backlogged time, both with a memory of kMemory of that time, after which older measurements count
// half. An outage of the link counts as backlogged time without service.
class ServedRate {
 public:
  static constexpr Duration kMemory{100'000'000};

  // The user is backlogged from `t` on; no effect if it was before.
  void begin(Time t) noexcept {
    if (since_ == kNever) since_ = t;
  }
  // Counts a capacity of `bits`, used or not, up to `t`. Ignored while idle.
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
  // The user is idle from here on. The time since the last count() is not counted.
  void end() noexcept { since_ = kNever; }
  // Time stood still for `pause` (mode `block`).
  void postpone(Duration pause) noexcept {
    if (since_ != kNever) since_ += pause;
  }

  // bit/s at the last count(); 0 before the first one.
  std::uint64_t rate() const noexcept { return rate_; }

 private:
  static constexpr double kMemoryNs = static_cast<double>(kMemory.count());

  Time since_ = kNever;  // end of the backlogged time counted so far; kNever while idle
  double bits_ = 0, time_ = 0;
  std::uint64_t rate_ = 0;
};

}  // namespace dp
