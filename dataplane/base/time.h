// The only notion of time below the worker: an argument. Nanoseconds on the data plane's own epoch, a type of
// its own so that no other clock can be mixed in. Only the worker reads a clock (tools/lint/clock.py).
#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>

namespace dp {

using Duration = std::chrono::duration<std::int64_t, std::nano>;
using Time = std::chrono::time_point<struct DataplaneEpoch, Duration>;

inline constexpr Time kNever = Time::max();

constexpr Time time_ns(std::int64_t ns) { return Time{Duration{ns}}; }
constexpr std::int64_t ns(Time t) { return t.time_since_epoch().count(); }

template <class C>
concept ClockSource = requires(C& clock) {
  { clock.now() }
  noexcept->std::same_as<Time>;
};

// The clock of tests and of the lab: stands still until told to move.
class ManualClock {
 public:
  explicit ManualClock(Time start = Time{}) : now_(start) {}
  Time now() noexcept { return now_; }
  void advance(Duration d) noexcept { now_ += d; }
  void set(Time t) noexcept { now_ = t; }

 private:
  Time now_;
};

}  // namespace dp
