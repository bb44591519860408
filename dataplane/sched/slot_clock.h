// Start times of a cell's slots: slot n at n / slots-per-second, rounded down to the nanosecond, by a clock
// of the cell's that stands still while the cell does. Part of its cell.
// Tests: tests/unit/sched/cell_life_test.cc
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"
#include "dataplane/sched/cell_settings.h"
#include "dataplane/sched/radio/model.h"

namespace dp {

class SlotClock {
 public:
  // The cell's time is `behind` the worker's. Requires: `slots` divides kCellUnitsPerBit.
  SlotClock(std::uint32_t slots, Duration behind) noexcept : slots_(slots), behind_(behind) {
    DP_EXPECT(slots != 0 && kCellUnitsPerBit % slots == 0);
  }

  // Start in the cell's time, at `slots` slots a second.
  static constexpr Time start_of(std::uint64_t slot, std::uint32_t slots) noexcept {
    const std::uint64_t whole = slot / slots, part = slot % slots;
    return time_ns(static_cast<std::int64_t>(whole * kSecond + part * kSecond / slots));
  }
  // The first slot that begins at `t` or later.
  static constexpr std::uint64_t slot_at(Time t, std::uint32_t slots) noexcept {
    if (ns(t) <= 0) return 0;
    const auto at = static_cast<std::uint64_t>(ns(t));
    return at / kSecond * slots + (at % kSecond * slots + kSecond - 1) / kSecond;
  }

  // Start in the worker's time.
  Time begin(std::uint64_t slot) const noexcept { return start_of(slot, slots_) + behind_; }
  std::uint64_t slot_from(Time t) const noexcept { return slot_at(t - behind_, slots_); }

  CellSlot slot(std::uint64_t n, Counter* stale_reports) const noexcept {
    return {n, slots_, start_of(n, slots_), start_of(n + 1, slots_), begin(n), stale_reports};
  }

  // True if the slot is granted under that share: granted slots are evenly spread.
  bool shared(std::uint64_t slot, double share) const noexcept {
    if (share >= 1) return true;
    const auto given = [&](std::uint64_t n) {
      return static_cast<std::uint64_t>(static_cast<double>(n) * share);
    };
    return given(slot + 1) != given(slot);
  }

  // Changes the number of slots a second; returns the first new slot that does not begin before the old
  // `slot`. Requires: it divides kCellUnitsPerBit.
  std::uint64_t change(std::uint32_t slots, std::uint64_t slot) noexcept {
    DP_EXPECT(slots != 0 && kCellUnitsPerBit % slots == 0);
    const Time at = start_of(slot, slots_);
    slots_ = slots;
    return slot_at(at, slots);
  }
  void postpone(Duration pause) noexcept { behind_ += pause; }

 private:
  static constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

  std::uint32_t slots_;
  Duration behind_;
};

}  // namespace dp
