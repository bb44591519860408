// The time of the last event, in half the bytes of a Time: precise to 17 ms, and valid if the silence is no
// longer than a year. Written by the worker, read by control at any time; if control has read its clock
// before the event, the result is later than its now.
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/counter.h"
#include "dataplane/base/time.h"

namespace dp {

class LastSeen {
 public:
  // The result may be earlier than the event by up to this.
  static constexpr Duration kStep{std::int64_t{1} << 24};

  void set(Time now) noexcept { ticks_.set(ticks(now)); }
  bool ever() const noexcept { return ticks_.get() != 0; }
  // None if there was no event.
  std::optional<Time> get(Time now) const noexcept {
    const std::uint32_t then = ticks_.get();
    if (then == 0) return std::nullopt;
    const std::int64_t ago = std::int64_t{ticks(now) - then + kAhead} - kAhead;
    return time_ns((ns(now) / kStep.count() - ago / 2) * kStep.count());
  }

 private:
  // The event may be later than now by up to this: nine minutes, in ticks.
  static constexpr std::uint32_t kAhead = 1u << 16;
  // In half steps; the lowest bit stands for "ever".
  static std::uint32_t ticks(Time t) noexcept {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(ns(t)) >> 23) | 1;
  }

  SmallCounter ticks_;
};

}  // namespace dp
